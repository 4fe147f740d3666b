//! Parts of pages: props in, markup out, no I/O.
