"""The workbench: a page in which a pipeline is edited and run again."""
