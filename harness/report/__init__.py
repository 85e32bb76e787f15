"""`dalang report`: a tournament as one HTML file that needs nobody else."""
