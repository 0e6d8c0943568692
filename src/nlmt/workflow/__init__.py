"""The library in the workflow: jobs of scripts, project, configuration, storages, clusters."""
