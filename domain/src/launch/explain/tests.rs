use super::*;
use crate::launch::HostFacts;

fn facts(driver: &str, cuda: Option<&str>) -> HostFacts {
    HostFacts { driver_version: Some(driver.to_owned()), cuda_version: cuda.map(str::to_owned), ..HostFacts::default() }
}

#[test]
fn images_run_by_the_published_table() {
    let of = |driver, cuda| images(&facts(driver, cuda)).expect("a driver");
    let hopper = of("570.133.20", Some("12.8"));
    for (built_with, how) in [
        ((10, 2), Runs::Fully),
        ((11, 8), Runs::Fully),
        ((12, 8), Runs::Fully),
        ((12, 9), Runs::Limited),
        ((13, 0), Runs::Not),
    ] {
        assert_eq!(runs(&hopper, built_with), how, "{built_with:?}");
    }
    assert_eq!(of("535.54.03", Some("12.2")).family, Some(12));
    assert_eq!(of("520.61.05", Some("11.8")).family, Some(11));
    assert_eq!(of("580.65.06", Some("13.0")).family, Some(13));
    // Too old for minor versions: what its CUDA is, and no more.
    let old = of("440.33.01", Some("10.2"));
    assert_eq!((runs(&old, (10, 2)), runs(&old, (11, 0))), (Runs::Fully, Runs::Not));
    // A branch that came after the table.
    let future = of("700.10", Some("14.1"));
    assert_eq!((future.family, runs(&future, (14, 3)), runs(&future, (15, 0))), (Some(14), Runs::Limited, Runs::Not));
    // Without a CUDA version only the branch is known.
    let half = of("570.133.20", None);
    assert_eq!((runs(&half, (11, 8)), runs(&half, (12, 1))), (Runs::Fully, Runs::Limited));
    assert_eq!(images(&HostFacts::default()), None);
}

#[test]
fn formats_follow_the_generations() {
    let fits = |capability| precisions(capability).map(|precision| precision.fit);
    use Fit::{Missing, Plain, Slow, Tensor};
    assert_eq!(fits((5, 2)), [Plain, Missing, Slow, Missing, Missing]);
    assert_eq!(fits((6, 0)), [Plain, Missing, Slow, Plain, Missing]);
    assert_eq!(fits((6, 1)), [Plain, Missing, Slow, Slow, Missing]);
    assert_eq!(fits((7, 5)), [Plain, Missing, Slow, Tensor, Missing]);
    assert_eq!(fits((8, 0)), [Plain, Tensor, Tensor, Tensor, Missing]);
    assert_eq!(fits((8, 9)), [Plain, Tensor, Tensor, Tensor, Tensor]);
    assert_eq!(fits((12, 0)), [Plain, Tensor, Tensor, Tensor, Tensor]);
    let all = [(5, 2), (6, 0), (6, 1), (7, 0), (8, 6), (9, 0)].map(advice);
    assert_eq!(all, [Advice::Fp32, Advice::Fp16, Advice::Fp32, Advice::Fp16Scaled, Advice::Bf16, Advice::Fp8]);
}
