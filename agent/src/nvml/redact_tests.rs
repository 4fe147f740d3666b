use super::*;

fn masked(line: &[&str]) -> String {
    let owned: Vec<String> = line.iter().map(|&argument| argument.to_owned()).collect();
    arguments(&owned).join(" ")
}

#[test]
fn values_of_options_named_like_secrets() {
    assert_eq!(masked(&["run", "--token", "abc", "x"]), "run --token *** x");
    assert_eq!(masked(&["run", "--token=abc", "x"]), "run --token=*** x");
    assert_eq!(masked(&["run", "--hf-token", "a b c"]), "run --hf-token ***");
    assert_eq!(masked(&["run", "--hfToken=a"]), "run --hfToken=***");
    assert_eq!(masked(&["run", "--db.password", "-pw-"]), "run --db.password ***");
    assert_eq!(
        masked(&["run", "--api-key", "k", "--wandb_key=k", "--key", "k"]),
        "run --api-key *** --wandb_key=*** --key ***"
    );
    assert_eq!(masked(&["run", "--authtoken", "k"]), "run --authtoken ***");
    assert_eq!(masked(&["run", "--password", "--verbose", "x"]), "run --password --verbose x");
}

#[test]
fn variables_and_headers() {
    assert_eq!(masked(&["env", "HF_TOKEN=abc", "MODE=fast"]), "env HF_TOKEN=*** MODE=fast");
    assert_eq!(masked(&["env", "AWS_SECRET_ACCESS_KEY=a/b+c"]), "env AWS_SECRET_ACCESS_KEY=***");
    assert_eq!(masked(&["curl", "-H", "Authorization: Bearer abc"]), "curl -H Authorization: ***");
    assert_eq!(masked(&["curl", "-H", "X-Api-Key: abc", "host"]), "curl -H X-Api-Key: *** host");
    assert_eq!(masked(&["curl", "-u", "ada:secret", "host"]), "curl -u ada:*** host");
}

#[test]
fn inside_scripts_and_queries() {
    assert_eq!(
        masked(&["bash", "-c", "export HF_TOKEN=abc && python t.py --password 'x y'"]),
        "bash -c export HF_TOKEN=*** && python t.py --password '***'"
    );
    assert_eq!(
        masked(&["sh", "-c", "curl -H \"Authorization: Bearer abc\" http://h"]),
        "sh -c curl -H \"Authorization: Bearer ***\" http://h"
    );
    assert_eq!(masked(&["get", "http://h/p?user=a&token=abc&x=1"]), "get http://h/p?user=a&token=***&x=1");
}

#[test]
fn user_names_with_passwords() {
    for (line, expected) in [
        (vec!["curl", "--user=ada:hunter2", "h"], "curl --user=ada:*** h"),
        (vec!["curl", "--user", "ada:hunter2", "h"], "curl --user ada:*** h"),
        (vec!["curl", "-uada:hunter2", "h"], "curl -uada:*** h"),
        (vec!["curl", "-Uada:hunter2", "h"], "curl -Uada:*** h"),
        (vec!["curl", "--proxy-user=ada:hunter2", "h"], "curl --proxy-user=ada:*** h"),
        (vec!["curl", "--proxy-user", "ada:hunter2", "h"], "curl --proxy-user ada:*** h"),
        (vec!["curl", "--user=ada:hunter2 with 'more'", "h"], "curl --user=ada:*** h"),
        (vec!["sh", "-c", "curl -uada:hunter2 h"], "sh -c curl -uada:*** h"),
        (vec!["sh", "-c", "curl -u 'ada:hunter two' h"], "sh -c curl -u 'ada:***' h"),
        (vec!["sh", "-c", "curl --user=\"ada:hunter two\" h"], "sh -c curl --user=\"ada:***\" h"),
        (vec!["sh", "-c", "curl --user ada:hunter2 h"], "sh -c curl --user ada:*** h"),
        (vec!["curl", "-sSu", "ada:hunter2", "h"], "curl -sSu ada:*** h"),
        (vec!["curl", "-sSuada:hunter2", "h"], "curl -sSuada:*** h"),
        (vec!["sh", "-c", "curl -su ada:hunter2 h"], "sh -c curl -su ada:*** h"),
        (vec!["sh", "-c", "curl '-sSuada:hunter2' h"], "sh -c curl '-sSuada:***' h"),
        (vec!["sh", "-c", "git clone http://ada:p/w@h/x y"], "sh -c git clone http://***@h/x y"),
        (vec!["git", "clone", "http://ada:p/w@h/x"], "git clone http://***@h/x"),
        (vec!["x", "http://h:80/a@b", "-cpu", "-vu"], "x http://h:80/a@b -cpu -vu"),
        (vec!["sh", "-c", "wget --user=ada h"], "sh -c wget --user=ada h"),
        (vec!["sh", "-c", "git clone http://ada:p&(w@h/x y"], "sh -c git clone http://***@h/x y"),
    ] {
        assert_eq!(masked(&line), expected);
    }
}

#[test]
fn names_and_values_in_quotes() {
    for (argument, expected) in [
        (r#"{"password": "hunter2"}"#, r#"{"password": "***"}"#),
        (r#"{"api_key":"hunter2"}"#, r#"{"api_key":"***"}"#),
        (r#"{"api_key" : "hunter2, hunter2", "n": 1}"#, r#"{"api_key" : "***", "n": 1}"#),
        (r#"{'a': 1, 'token': 'hunter2 "x'}"#, r#"{'a': 1, 'token': '***'}"#),
        (r#"{"password": {"now": ["hunter2", "}hunter2"]}, "n": 1}"#, r#"{"password": ***, "n": 1}"#),
        (r#"{"password": hunter2}"#, r#"{"password": ***"#),
        (r#"{\"password\": \"correct hunter2\"} x"#, r#"{\"password\": ***} x"#),
        (r#"["--password", "hunter2"]"#, r#"["--password", "***"]"#),
        (r#"["Authorization", "Bearer hunter2"]"#, r#"["Authorization", "***"]"#),
        (r#"import x; x.d["password"]="hunter2 hunter2"; y"#, r#"import x; x.d["password"]="***"; y"#),
        (r#"curl -d '{"password": "hunter2 hunter2"}' h"#, r#"curl -d '{"password": ***' h"#),
        (r#"curl -H "Cookie: a=hunter2; b=hunter2" h"#, r#"curl -H "Cookie: ***" h"#),
        (r#"{"db password": "hunter2 hunter2", "n": 1}"#, r#"{"db password": "***", "n": 1}"#),
        (r#"{"passwords": ["hunter2", "hunter2"], "n": 1}"#, r#"{"passwords": ***, "n": 1}"#),
        (r#"{"api_keys": "hunter2", "keys": "x"}"#, r#"{"api_keys": "***", "keys": "x"}"#),
        (r#"{"password": hunter2,hunter2, "n": 1}"#, r#"{"password": ***, "n": 1}"#),
        (r#"<a><password>hunter2 hunter2</password></a>"#, r#"<a><password>***"#),
        (r#"x Server=h;Pwd=hunter2 hunter2;Uid=1"#, r#"x Server=h;Pwd=***"#),
        (r#"x {user: ada, password: correct hunter2, n: 1}"#, r#"x {user: ada, password: ***, n: 1}"#),
    ] {
        assert_eq!(masked(&["x", argument]), format!("x {expected}"));
    }
}

#[test]
fn values_with_blanks_go_to_the_end_of_their_quotes() {
    for (script, expected) in [
        (r#"cd y; PASSWORD="correct horse hunter2" python x"#, r#"cd y; PASSWORD="***" python x"#),
        (r#"export PASSWORD='correct horse hunter2' && y"#, r#"export PASSWORD='***' && y"#),
        (r#"export PASSWORD="a "'hunter2 b'c\ hunter2 && y"#, r#"export PASSWORD=*** && y"#),
        (r#"export PASSWORD=correct,hunter2 && y"#, r#"export PASSWORD=*** && y"#),
        (r#"export PASSWORD=$(echo hunter2 hunter2) && y"#, r#"export PASSWORD=*** && y"#),
        (r#"x --password="a \" hunter2" y"#, r#"x --password="***" y"#),
        (r#"x --password "a hunter2"#, r#"x --password ***"#),
        (r#"x; password = "a hunter2"; y"#, r#"x; password = "***"; y"#),
        (r#"ssh h 'PASSWORD=hunter2 y' z"#, r#"ssh h 'PASSWORD=***' z"#),
        (r#"x "password="'a hunter2' y"#, r#"x "password="***"#),
        (r#"echo don't "password": 'hunter2 hunter2'"#, r#"echo don't "password": '***"#),
    ] {
        assert_eq!(masked(&["sh", "-c", script]), format!("sh -c {expected}"));
    }
    assert_eq!(masked(&["sh", "-c", "PASSWORD=\"correct horse\" python x"]), "sh -c PASSWORD=***");
    assert_eq!(
        masked(&["helm", "--set=db.password=a b", "--set", "a=1,db[password]=b"]),
        "helm --set=db.password=*** --set a=1,db[password]=***"
    );
}

#[test]
fn addresses_lose_user_and_password() {
    assert_eq!(masked(&["git", "clone", "https://ada:pw@host/x.git"]), "git clone https://***@host/x.git");
    assert_eq!(masked(&["x", "--db=postgres://u:p@ss@h:5432/d"]), "x --db=postgres://***@h:5432/d");
    assert_eq!(masked(&["x", "https://host/a@b"]), "x https://host/a@b");
}

#[test]
fn keys_that_announce_themselves() {
    for key in [
        "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
        "hf_AbCdEfGhIjKlMnOp",
        "sk-proj-abc123DEF456",
        "AKIAIOSFODNN7EXAMPLE",
        "eyJhbGciOiJIUzI1NiJ9",
        "glpat-abc123DEF456",
    ] {
        assert_eq!(masked(&["x", key, "y"]), "x *** y", "{key}");
        assert!(!masked(&["x", &format!("--a={key}")]).contains(key), "{key}");
        assert!(!masked(&["x", &format!("a:{key}@b")]).contains(key), "{key}");
    }
    assert_eq!(masked(&["x", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkw.SflKxwRJSM"]), "x ***.***.SflKxwRJSM");
}

#[test]
fn long_random_text() {
    assert_eq!(masked(&["x", "0123456789abcdef0123456789abcdef"]), "x ***");
    assert_eq!(masked(&["x", "dGhpcyBpcyBhIHNlY3JldCBrZXkgZm9yIG1lIQ=="]), "x ***==");
    assert_eq!(masked(&["x", "k3m9x2p7q1w8e5r4t6y0u3i9o2p5a7s1d4"]), "x ***");
    assert_eq!(masked(&["x", "Zk9+Lq2/Tv7xB4nM1cR8wY5pJ3sD6gH0fK"]), "x ***");
}

#[test]
fn ordinary_command_lines_stay_readable() {
    for line in [
        "python -m torch.distributed.run --nproc_per_node 8 train.py --max_tokens 512 --tokenizer bert-base-uncased",
        "vllm serve TheBloke/Mistral-7B-Instruct-v02-GPTQ --tensor-parallel-size 4 --port 8000",
        "python /home/ada/projects/Very-Long-Folder-Name/SubFolder/src/train_model_final_version_two.py",
        "/opt/conda/envs/pytorch-2.6-cuda12/bin/python -u main.py --author Ada --keyframes 3 --sort-key date",
        "env CUDA_VISIBLE_DEVICES=GPU-3a23c669-1f69-c64e-cf85-44e9b07e7a2a,GPU-92b47a92-7199-5c60-010e-1d9790ae0233 x",
        "python train.py --run-name 2026-11-30T10:00:00-exp-0001-lr3e4-bs256-warmup1000 --ckpt step_00020000",
        "jupyter-lab --port=8888 --ip 0.0.0.0",
        "sk-learn-demo hf_transfer task-runner disk-usage",
    ] {
        let words: Vec<&str> = line.split(' ').collect();
        assert_eq!(masked(&words), line);
    }
}

#[test]
fn odd_input_neither_panics_nor_leaks() {
    for odd in ["", "=", ":", "--", "-", "=x", "://@", "--token=", "a=b=c", "é=ü", "ghp_", "://", "@", "\u{fffd}"] {
        let _ = masked(&[odd, odd]);
    }
    let pieces = [
        "\"",
        "'",
        "`",
        "\\",
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        ":",
        "=",
        ",",
        ";",
        " ",
        "\n",
        "<",
        ">",
        "://",
        "@",
        "/",
        "-u",
        "--user",
        "token",
        "--password",
        "Bearer",
        "é",
        "\u{2028}",
        "x",
    ];
    let mut seed = 1_u64;
    for _ in 0..20_000 {
        let mut piece = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            pieces[usize::try_from(seed >> 33).expect("fits") % pieces.len()]
        };
        let text: String = (0..12).map(|_| piece()).collect();
        let _ = masked(&[&text, piece(), &text]);
    }
    assert_eq!(masked(&["--token=", "abc"]), "--token= ***");
    assert_eq!(masked(&["--token"]), "--token");
    let long = "z".repeat(10_000);
    assert!(masked(&[&long]) == long, "a long word is no secret");
}
