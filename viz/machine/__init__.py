"""Pictures of the simulated machine: timelines, rooflines, host and device, memory."""
