//! Kubernetes and Slurm.
