//! What people were bitten by, by the numbers of the list of public cases: each of them must come out right here.

use super::*;
use crate::inventory::Platform;
use crate::launch::quote::tests::posix_words;

fn two() -> HostCards {
    host(vec![card(A, 0), card(B, 2)])
}

fn of(host: &HostCards, id: &str) -> Command {
    one(host, id)
}

fn instances() -> HostCards {
    let instance = |uuid: &str, n: u32| LaunchCard {
        number: crate::card::CardNumber { index: 0, instance: Some(n) },
        model: "MIG 3g.40gb".to_owned(),
        ..card(uuid, 0)
    };
    host(vec![instance("MIG-377e0049-aaaa", 0), instance("MIG-377e0049-bbbb", 1)])
}

fn wsl() -> HostCards {
    let mut host = two();
    host.facts.platform = Platform::Wsl;
    host
}

/// The argument after `--gpus` of every form that has one, by a reader of POSIX lines.
fn gpus(command: &Command) -> Vec<String> {
    let posix = command.forms.iter().filter(|form| form.dialect == Dialect::Posix);
    let argument = |form: &Form| {
        let words = posix_words(&form.text);
        let at = words.iter().position(|word| word == "--gpus")?;
        words.get(at + 1).cloned()
    };
    posix.filter_map(argument).collect()
}

#[test]
fn l01_docker_gets_the_list_within_double_quotes() {
    assert_eq!(gpus(&of(&two(), "docker")), [format!("\"device={A},{B}\""), "\"device=0,2\"".to_owned()]);
    let keyed = |key| keyed(&of(&two(), "docker"), key).last().copied().map(str::to_owned).expect("a form");
    assert!(keyed("gpus-powershell").contains(r#"--gpus '"device=0,2"' "#));
    assert!(keyed("gpus-powershell5").contains(r#"--gpus '\"device=0,2\"' "#));
    assert!(keyed("gpus-cmd").contains(r#"--gpus "\"device=0,2\"" "#));
}

#[test]
fn l01_docker_over_ssh_keeps_its_quotes() {
    let ssh = of(&two(), "ssh");
    let line = keyed(&ssh, "docker")[0];
    let far = posix_words(line).pop().expect("a line for the other shell");
    assert!(posix_words(&far).contains(&format!("\"device={A},{B}\"")), "{line}");
}

#[test]
fn l02_no_list_is_ever_bare_and_no_variable_stands_for_it() {
    let eight: Vec<LaunchCard> = (0..8).map(|n| card(&format!("GPU-{n:04}"), n)).collect();
    for id in ["docker", "nerdctl"] {
        for argument in gpus(&of(&host(eight.clone()), id)) {
            assert!(argument.starts_with("\"device=") && argument.ends_with('"'), "{argument}");
            assert_eq!(argument.matches(',').count(), 7);
        }
    }
    for form in all(&two()).iter().flat_map(|command| &command.forms) {
        assert!(!form.text.contains("$CUDA_VISIBLE_DEVICES"), "{}", form.text);
    }
}

#[test]
fn l04_one_card_is_named_and_never_a_count() {
    for index in [0, 1] {
        let host = host(vec![card(A, index)]);
        assert_eq!(gpus(&of(&host, "docker")), [format!("\"device={A}\""), format!("\"device={index}\"")]);
    }
}

#[test]
fn l06_containers_under_wsl_get_the_variable_too() {
    let wanted = format!("CUDA_VISIBLE_DEVICES={A},{B}");
    for id in ["docker", "podman", "nerdctl"] {
        let command = of(&wsl(), id);
        assert!(command.note.contains(english().wsl_note), "{id}");
        assert!(!command.forms.is_empty());
        for form in &command.forms {
            assert_ne!(form.naming, Naming::Index, "{}", form.text);
            assert!(form.text.contains(&wanted) && form.text.contains("PCI_BUS_ID"), "{}", form.text);
        }
    }
    for id in ["compose", "devcontainer"] {
        for form in of(&wsl(), id).forms {
            assert!(
                form.text.contains(&format!("{A},{B}")) && form.text.contains("CUDA_VISIBLE_DEVICES"),
                "{}",
                form.text
            );
        }
    }
    assert!(of(&wsl(), "podman").forms[0].text.contains("--device nvidia.com/gpu=all "));
    let plain = of(&two(), "docker");
    assert!(plain.forms.iter().all(|form| !form.text.contains("CUDA_VISIBLE_DEVICES")), "not needed elsewhere");
}

#[test]
fn l07_cdi_says_what_it_needs() {
    let docker = of(&two(), "docker");
    let cdi = docker.forms.iter().find(|form| form.key == "cdi").expect("there is one");
    assert!(cdi.needs.contains("28.3"));
    assert_eq!(cdi.dialect, Dialect::AnyShell);
    let podman = of(&two(), "podman");
    assert!(podman.forms[0].needs.contains("4.1") && podman.forms[0].needs.contains("nvidia-ctk cdi list"));
}

#[test]
fn l08_podman_has_lines_of_its_own() {
    for form in of(&two(), "podman").forms {
        assert!(!form.text.contains("--gpus"), "{}", form.text);
        assert_eq!(form.text.matches("--device nvidia.com/gpu=").count(), 2);
    }
}

#[test]
fn l10_apptainer_says_what_nvidia_smi_shows_and_offers_to_keep_the_others_out() {
    let apptainer = of(&two(), "apptainer");
    assert!(apptainer.note.contains("nvidia-smi shows all"));
    let nvccli = keyed(&apptainer, "nvccli");
    assert!(nvccli[0].starts_with(&format!("NVIDIA_VISIBLE_DEVICES={A},{B} ")), "{}", nvccli[0]);
    assert!(keyed(&apptainer, "nv")[1].contains("APPTAINERENV_CUDA_VISIBLE_DEVICES=0,2 "));
}

#[test]
fn l11_containers_rely_on_devices_and_not_on_variables() {
    for id in ["docker", "podman", "nerdctl", "compose"] {
        for form in of(&two(), id).forms {
            assert!(!form.text.contains("VISIBLE_DEVICES"), "lost by docker exec: {}", form.text);
        }
    }
}

#[test]
fn l12_kubernetes_counts_and_says_so_or_claims_by_uuid() {
    let count = of(&two(), "kubernetes");
    let pod = &count.forms[0];
    assert_eq!((pod.naming, pod.cards.len()), (Naming::Count, 0));
    assert!(pod.text.contains("nvidia.com/gpu: 2\n") || pod.text.ends_with("nvidia.com/gpu: 2"));
    assert!(!pod.text.contains("NVIDIA_VISIBLE_DEVICES") && !count.reason.is_empty());
    let claim = &of(&two(), "kubernetes_dra").forms[0].text;
    for uuid in [A, B] {
        let expression = format!("'device.attributes[\"gpu.nvidia.com\"].uuid == \"{uuid}\"'");
        assert!(claim.contains(&expression), "{claim}");
    }
    let parts = of(&instances(), "kubernetes").forms[0].text.clone();
    assert!(parts.contains("nvidia.com/mig-3g.40gb: 2"), "{parts}");
}

#[test]
fn l14_accelerate_gets_variables_and_a_number_of_processes() {
    let host = host(vec![card(A, 6), card(B, 7)]);
    let accelerate = of(&host, "accelerate");
    let [form] = accelerate.forms.as_slice() else { panic!("one form") };
    assert!(form.text.starts_with("CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=6,7 "));
    assert!(form.text.contains("--num_processes 2 ") && !form.text.contains("gpu_ids"));
    assert!(accelerate.note.contains("--gpu_ids"));
}

#[test]
fn l15_vllm_gets_numbers_outside_its_container() {
    let vllm = of(&two(), "vllm");
    for form in vllm.forms.iter().filter(|form| form.text.contains("CUDA_VISIBLE_DEVICES")) {
        assert_eq!(form.naming, Naming::Index);
        assert!(form.text.contains("CUDA_VISIBLE_DEVICES=0,2 ") && form.text.contains("PCI_BUS_ID"));
    }
    let parts = of(&instances(), "vllm");
    assert!(!parts.forms.is_empty() && parts.forms.iter().all(|form| form.key == "docker"));
}

#[test]
fn l16_ollama_is_told_where_its_server_is_and_without_vulkan() {
    let ollama = of(&two(), "ollama");
    for form in &ollama.forms {
        assert!(form.text.contains("OLLAMA_VULKAN=0") && form.text.contains("CUDA_VISIBLE_DEVICES="), "{}", form.text);
        assert!(!form.text.contains("ollama run"), "the client's variables change nothing: {}", form.text);
    }
    let unit = ollama.forms.iter().find(|form| form.dialect == Dialect::Unit).expect("a drop-in");
    assert!(unit.text.contains(&format!("\"CUDA_VISIBLE_DEVICES={A},{B}\"")) && unit.naming == Naming::Uuid);
}

#[test]
fn l17_llama_cpp_is_kept_off_by_variables() {
    for form in of(&two(), "llama_cpp").forms {
        assert!(form.text.starts_with("CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES="), "{}", form.text);
        assert!(!form.text.contains("-mg") && !form.text.contains("-sm"));
    }
}

#[test]
fn l18_an_index_never_stands_without_the_bus_order() {
    let mixed = host(vec![LaunchCard { model: "GTX 1050 Ti".to_owned(), ..card(A, 0) }, card(B, 2)]);
    for command in all(&mixed) {
        for form in command.forms.iter().filter(|form| form.text.contains("CUDA_VISIBLE_DEVICES")) {
            assert!(form.text.contains("PCI_BUS_ID"), "{}: {}", command.id, form.text);
        }
    }
    // In a container CUDA would count the faster one first.
    assert!(of(&mixed, "docker").forms.iter().all(|form| form.text.contains("-e CUDA_DEVICE_ORDER=PCI_BUS_ID")));
}

#[test]
fn l19_two_instances_never_stand_in_one_list() {
    for command in all(&instances()).iter().filter(|command| command.id != "multiprocessing") {
        for form in &command.forms {
            let both = form.text.contains("-aaaa") && form.text.contains("-bbbb");
            assert!(!both, "{}: {}", command.id, form.text);
        }
    }
    // A worker for each is a process for each.
    let workers = &of(&instances(), "multiprocessing").forms[0];
    assert!(workers.text.contains("CARDS = [\"MIG-377e0049-aaaa\", \"MIG-377e0049-bbbb\"]"));
}

#[test]
fn l20_the_table_says_that_card_5_is_cuda_0() {
    let mapped = mapping(&host(vec![card(A, 5)]));
    assert_eq!((mapped[0].card.number.index, mapped[0].program.as_str()), (5, "cuda:0"));
}

#[test]
fn l25_uuids_come_first_wherever_they_are_understood() {
    for command in all(&two()) {
        let first = command.forms.iter().find(|form| form.naming != Naming::ByBerth).map(|form| form.naming);
        let numbers_only = ["accelerate", "deepspeed", "vllm"].contains(&command.id);
        match first {
            Some(Naming::Index) => assert!(numbers_only && !command.reason.is_empty(), "{}", command.id),
            Some(Naming::Uuid) => assert!(!numbers_only, "{}", command.id),
            _ => {}
        }
    }
}

#[test]
fn deepspeed_gets_numbers_and_no_variable_beside_them() {
    let command = of(&host(vec![card(B, 3), card(A, 2)]), "deepspeed");
    let [form] = command.forms.as_slice() else { panic!("one form") };
    assert!(form.text.starts_with("env -u CUDA_VISIBLE_DEVICES CUDA_DEVICE_ORDER=PCI_BUS_ID "));
    assert!(form.text.contains("--include localhost:2,3 "));
    assert_eq!(form.cards.iter().map(CardUuid::as_str).collect::<Vec<_>>(), [A, B], "it sorts");
    assert!(command.note.contains(english().deepspeed_sorts));
    let none = of(&instances(), "deepspeed");
    assert_eq!((none.forms.len(), none.reason.as_str()), (0, english().deepspeed_mig));
}

#[test]
fn the_order_of_a_booking_reaches_containers() {
    let turned = host(vec![card(B, 3), card(A, 1)]);
    let docker = of(&turned, "docker");
    assert!(docker.forms[0].text.contains(&format!("-e \"CUDA_VISIBLE_DEVICES={B},{A}\"")), "{}", docker.forms[0].text);
    // Inside they count from 0 in bus order: card 3 is the second.
    assert!(docker.forms[1].text.contains("-e \"CUDA_VISIBLE_DEVICES=1,0\""), "{}", docker.forms[1].text);
    assert!(docker.forms.iter().all(|form| form.text.contains("PCI_BUS_ID")));
}

#[test]
fn shares_bound_the_memory_of_what_would_take_it_all() {
    let mut host =
        host(vec![LaunchCard { shared: true, budget_mib: Some(40_000), memory_mib: Some(80_000), ..card(A, 0) }]);
    let has = |host: &HostCards, id, text: &str| {
        all(host).iter().any(|c| c.id == id && c.forms.iter().any(|f| f.text.contains(text)))
    };
    assert!(has(&host, "vllm", "--gpu-memory-utilization 0.50"));
    assert!(has(&host, "jax", "XLA_PYTHON_CLIENT_MEM_FRACTION=0.50"));
    assert!(has(&host, "tensorflow", "memory_limit=40000"));
    host.cards[0].budget_mib = None;
    assert!(!has(&host, "vllm", "--gpu-memory-utilization"));
}

#[test]
fn several_hosts_meet_at_the_first() {
    let mut other = host(vec![card("GPU-c", 0)]);
    "rig-2".clone_into(&mut other.host_name);
    let plan = Plan { hosts: vec![two(), other], purpose: "ViT-L".to_owned(), ..Plan::default() };
    let line = |at: usize| {
        let all = commands(&plan, at, english());
        let torchrun = all.iter().find(|command| command.id == "torchrun").expect("torchrun").clone();
        torchrun.forms.iter().find(|form| form.key == "hosts").map(|form| posix_words(&form.text)).expect("hosts")
    };
    for (at, cards, keeps) in [(0, 2, 1), (1, 1, 0)] {
        let words = line(at);
        for wanted in [
            "--nnodes=2".to_owned(),
            format!("--nproc-per-node={cards}"),
            "--rdzv-id=vit-l".to_owned(),
            "--rdzv-endpoint=dgx-h100:29500".to_owned(),
            format!("--rdzv-conf=is_host={keeps}"),
        ] {
            assert!(words.contains(&wanted), "{wanted}: {words:?}");
        }
    }
    let accelerate = commands(&plan, 0, english()).into_iter().find(|command| command.id == "accelerate");
    assert!(accelerate.expect("accelerate").forms.iter().all(|form| form.key != "hosts"), "unequal numbers");
}
