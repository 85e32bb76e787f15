"""Many machines: the same tournament on a Dask cluster."""
