"""The library in the workflow: jobs of scripts, the folder of the project, storages, clusters."""
