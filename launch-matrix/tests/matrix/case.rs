//! What is launched: machines, bookings on them, and what people typed.

use domain::card::CardNumber;
use domain::id::{CardUuid, HostId, ReservationId};
use domain::inventory::Platform;
use domain::launch::{HostCards, HostFacts, Job, LaunchCard, Plan};

/// A card as the driver would know it.
#[derive(Clone, Debug)]
pub struct Device {
    pub uuid: String,
    /// In the order of the bus.
    pub index: u32,
    pub model: &'static str,
    /// The higher, the earlier CUDA counts it when nobody sets an order.
    pub speed: u32,
    /// Its instances: UUID and number.
    pub parts: Vec<(String, u32)>,
}

/// A column of the table.
#[derive(Clone, Debug)]
pub struct Case {
    pub name: &'static str,
    /// What the machine has.
    pub machine: Vec<Device>,
    /// UUIDs that are booked there, in their order.
    pub booked: Vec<String>,
    pub plan: Plan,
    /// Which host of the plan.
    pub at: usize,
    /// What must be started.
    pub program: Vec<String>,
}

impl Case {
    /// Lists of cards that one program can use together, in their order: all whole cards, and each instance alone.
    pub fn sets(&self) -> Vec<Vec<String>> {
        let mut sets = Vec::new();
        let whole: Vec<String> = self.booked.iter().filter(|uuid| uuid.starts_with("GPU-")).cloned().collect();
        if !whole.is_empty() {
            sets.push(whole);
        }
        sets.extend(self.booked.iter().filter(|uuid| uuid.starts_with("MIG-")).map(|uuid| vec![uuid.clone()]));
        sets
    }

    pub fn is_wsl(&self) -> bool {
        self.plan.hosts[self.at].facts.is_wsl()
    }

    pub fn host_name(&self) -> &str {
        &self.plan.hosts[self.at].host_name
    }

    /// `lena@rig`, as ssh wants it.
    pub fn account(&self) -> Option<&str> {
        self.plan.hosts[self.at].facts.account.as_deref()
    }

    /// The image, or one that a person puts in the place of the word that stands for it. What begins with a dash is no
    /// image to any tool, so there that word has to stand as well.
    pub fn image(&self) -> String {
        let said = self.plan.job.image.clone().filter(|image| !image.starts_with('-'));
        said.unwrap_or_else(|| "lab/train:2.1".to_owned())
    }
}

/// Eight or so equal cards.
fn machine(count: u32, tag: u32) -> Vec<Device> {
    (0..count).map(|index| device(index, tag, "H100 80GB HBM3", 90)).collect()
}

fn device(index: u32, tag: u32, model: &'static str, speed: u32) -> Device {
    // As different from each other as real ones: the beginning alone must tell them apart.
    let mixed = (index + 1).wrapping_mul(0x9e37_79b9) ^ tag;
    let uuid = format!("GPU-{mixed:08x}-1f69-c64e-cf85-44e9b07e{:04x}", index * 7 + tag);
    Device { uuid, index, model, speed, parts: Vec::new() }
}

/// Puts instances on a card.
fn split(mut device: Device, count: u32) -> Device {
    let tail = device.uuid[4..].to_owned();
    device.parts = (0..count).map(|n| (format!("MIG-{n}{}", &tail[1..]), n)).collect();
    device
}

fn host(name: &str, machine: &[Device], booked: &[&str]) -> HostCards {
    let number = |uuid: &str| {
        machine.iter().find_map(|device| {
            let part = device.parts.iter().find(|(part, _)| part == uuid);
            (device.uuid == uuid || part.is_some())
                .then(|| (device, CardNumber { index: device.index, instance: part.map(|(_, n)| *n) }))
        })
    };
    let card = |uuid: &&str| {
        let (device, number) = number(uuid).unwrap_or_else(|| panic!("{uuid} is on no machine"));
        LaunchCard {
            uuid: CardUuid::parse(uuid).expect("a UUID"),
            number,
            model: if number.instance.is_some() { "MIG 3g.40gb".to_owned() } else { device.model.to_owned() },
            pci_bus_id: Some(format!("0000:{:02x}:00.0", device.index * 9 + 27)),
            memory_mib: Some(81_559),
            shared: false,
            budget_mib: None,
        }
    };
    HostCards {
        host: HostId(uuid::Uuid::from_u128(name.len() as u128 + 77)),
        host_name: name.to_owned(),
        cards: booked.iter().map(card).collect(),
        facts: HostFacts { account: Some("lena".to_owned()), ..HostFacts::default() },
    }
}

fn case(name: &'static str, machine: Vec<Device>, pick: &[usize]) -> Case {
    let uuids: Vec<String> = pick.iter().map(|&at| machine[at].uuid.clone()).collect();
    of(name, machine, uuids, "rig")
}

fn of(name: &'static str, machine: Vec<Device>, booked: Vec<String>, host_name: &str) -> Case {
    let named: Vec<&str> = booked.iter().map(String::as_str).collect();
    let plan = Plan {
        reservation: Some(ReservationId(uuid::Uuid::from_u128(0x5eed_0000_0000_0000_0000_0000_0000_0001))),
        purpose: "ViT-L ablation".to_owned(),
        hosts: vec![host(host_name, &machine, &named)],
        job: Job::default(),
    };
    Case { name, machine, booked, plan, at: 0, program: vec!["python".to_owned(), "train.py".to_owned()] }
}

/// Words that shells, unit files, YAML, JSON and Python each read as more than letters.
const HOSTILE: &str = "it's \"50%\" $(touch PWNED) `touch PWNED2` ; touch PWNED3 & {a,b} *?[x] ~ !! %n %% \\ \\n #x <y >PWNED4 | $$ $$(HOME) ${HOME} ü漢é";

fn hostile(name: &'static str) -> Case {
    let eight = machine(8, 0x31);
    let booked = vec![eight[2].uuid.clone(), eight[3].uuid.clone()];
    let mut case = of(name, eight, booked, "rig");
    case.plan.purpose = format!("-rf {HOSTILE}\nExecStart=/bin/touch PWNED5\r\n\t'''\"\"\"");
    case
}

/// All columns of the table.
pub fn all() -> Vec<Case> {
    let mut cases = vec![
        case("one", machine(8, 0x31), &[5]),
        case("two of 8", machine(8, 0x31), &[2, 3]),
        case("all 16", machine(16, 0x52), &(0..16).collect::<Vec<_>>()),
        case("unordered", machine(8, 0x31), &[6, 1, 4]),
        case(
            "mixed",
            // The display card comes first on the bus and last in speed.
            vec![
                device(0, 0x71, "RTX A400", 12),
                device(1, 0x71, "H100 PCIe", 90),
                device(2, 0x71, "RTX 4090", 89),
                device(3, 0x71, "H100 PCIe", 90),
            ],
            &[0, 2, 3],
        ),
    ];

    let cut = |count| {
        let mut cards = machine(4, 0x91);
        cards[1] = split(cards[1].clone(), count);
        cards
    };
    let cards = cut(2);
    let booked = vec![cards[1].parts[0].0.clone()];
    cases.push(of("MIG 1", cards.clone(), booked, "rig"));
    let booked = vec![cards[1].parts[1].0.clone(), cards[1].parts[0].0.clone()];
    cases.push(of("MIG 2", cards.clone(), booked, "rig"));
    let booked = vec![cards[1].parts[0].0.clone(), cards[3].uuid.clone(), cards[0].uuid.clone()];
    cases.push(of("MIG+whole", cards, booked, "rig"));

    // Two cards say they are card 2: one of the numbers is old, and no list by index would be right.
    let eight = machine(8, 0x31);
    let mut stale = case("stale index", eight, &[2, 3]);
    stale.plan.hosts[0].cards[1].number = 2.into();
    cases.push(stale);

    let mut wsl = case("WSL", machine(4, 0x31), &[1, 2]);
    wsl.plan.hosts[0].facts.platform = Platform::Wsl;
    cases.push(wsl);

    let (a, b) = (machine(8, 0x31), machine(8, 0x44));
    let picked = |cards: &[Device], pick: &[usize]| pick.iter().map(|&at| cards[at].uuid.clone()).collect::<Vec<_>>();
    let (on_a, on_b) = (picked(&a, &[0, 1]), picked(&b, &[4, 5]));
    for (at, name) in ["host 1 of 2", "host 2 of 2"].into_iter().enumerate() {
        let mut case = if at == 0 {
            of(name, a.clone(), on_a.clone(), "rig-a")
        } else {
            of(name, b.clone(), on_b.clone(), "rig-b")
        };
        case.plan.hosts = vec![
            host("rig-a", &a, &on_a.iter().map(String::as_str).collect::<Vec<_>>()),
            host("rig-b", &b, &on_b.iter().map(String::as_str).collect::<Vec<_>>()),
        ];
        case.at = at;
        cases.push(case);
    }

    cases.push(hostile("bad purpose"));
    let mut program = hostile("bad program");
    program.program =
        ["python", "train 'it'.py", HOSTILE, "-x", "--", "a\nb", "", "%USERNAME%", "$HOME"].map(str::to_owned).to_vec();
    program.plan.job.program = program.program.clone();
    cases.push(program);
    let mut image = hostile("bad image");
    image.plan.job.image = Some("x;touch PWNED $(touch PWNED) 'a' \"b\"".to_owned());
    cases.push(image);
    let mut option = hostile("image as option");
    option.plan.job.image = Some("--privileged".to_owned());
    cases.push(option);
    let mut names = hostile("bad host");
    names.plan.hosts[0].host_name = "-oProxyCommand=touch PWNED; $(touch PWNED) 'x'".to_owned();
    // Then the host is the first thing that ssh reads.
    names.plan.hosts[0].facts.account = None;
    cases.push(names);
    let mut names = hostile("bad user");
    names.plan.hosts[0].facts.account = Some("-l$(touch PWNED) `touch PWNED` 'x'".to_owned());
    cases.push(names);
    cases
}
