"""The JSON API at ``/api/v1``. ``workbench.api.urls`` holds its addresses."""
