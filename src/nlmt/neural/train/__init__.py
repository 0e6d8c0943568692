"""Training: tasks, epochs, schedules, checkpoints, processes."""
