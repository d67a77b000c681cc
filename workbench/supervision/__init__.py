"""Starting, watching and ending the processes of `manage.py up`."""
