//! From a service's failure to the refusal that the outside sees.
