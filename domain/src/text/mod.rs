//! Every sentence that a person reads in the browser. A second language is one more file beside `en.rs`.
