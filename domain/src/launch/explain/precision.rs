//! Which formats of numbers a card computes well, by its CUDA compute capability.

/// How well a card computes with a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// On tensor cores.
    Tensor,
    /// At the usual rate, or twice that.
    Plain,
    /// It works, at a small part of the usual rate.
    Slow,
    /// Not at all.
    Missing,
}

/// A format and how well it goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Precision {
    /// `FP32`, `TF32`, `BF16`, `FP16` or `FP8`.
    pub format: &'static str,
    /// How well.
    pub fit: Fit,
}

/// What to use on a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advice {
    /// BF16, and FP8 where the libraries have it.
    Fp8,
    /// BF16, and TF32 for what stays in FP32.
    Bf16,
    /// FP16 with loss scaling.
    Fp16Scaled,
    /// FP16 to save memory and time, without tensor cores.
    Fp16,
    /// FP32.
    Fp32,
}

/// All formats on a card of this capability.
///
/// From NVIDIA's tables of arithmetic throughput: FP16 arithmetic begins with 5.3, and is crippled on 6.1; tensor cores
/// came for FP16 with 7.0, for TF32 and BF16 with 8.0, for FP8 with 8.9. BF16 before 8.0 is emulated.
#[must_use]
pub fn precisions(capability: (u32, u32)) -> [Precision; 5] {
    let from = |wanted: (u32, u32), fit: Fit, otherwise: Fit| if capability >= wanted { fit } else { otherwise };
    let half = match capability {
        capability if capability >= (7, 0) => Fit::Tensor,
        (6, 1) => Fit::Slow,
        capability => {
            if capability >= (5, 3) {
                Fit::Plain
            } else {
                Fit::Missing
            }
        }
    };
    [
        Precision { format: "FP32", fit: Fit::Plain },
        Precision { format: "TF32", fit: from((8, 0), Fit::Tensor, Fit::Missing) },
        Precision { format: "BF16", fit: from((8, 0), Fit::Tensor, Fit::Slow) },
        Precision { format: "FP16", fit: half },
        Precision { format: "FP8", fit: from((8, 9), Fit::Tensor, Fit::Missing) },
    ]
}

/// What to use on a card of this capability.
#[must_use]
pub fn advice(capability: (u32, u32)) -> Advice {
    match capability {
        capability if capability >= (8, 9) => Advice::Fp8,
        capability if capability >= (8, 0) => Advice::Bf16,
        capability if capability >= (7, 0) => Advice::Fp16Scaled,
        (6, 1) => Advice::Fp32,
        capability => {
            if capability >= (5, 3) {
                Advice::Fp16
            } else {
                Advice::Fp32
            }
        }
    }
}
