use std::collections::BTreeMap;

use safetensors::tensor::{Dtype, TensorView, serialize};

use super::*;

const TINY: &str = r#"{"model_type": "bert", "hidden_act": "gelu", "hidden_size": 4, "num_attention_heads": 2, "num_hidden_layers": 1}"#;

fn extents() -> Vec<(String, Vec<usize>)> {
    let mut all = vec![
        ("embeddings.word_embeddings.weight".to_owned(), vec![10, 4]),
        (
            "embeddings.position_embeddings.weight".to_owned(),
            vec![8, 4],
        ),
        (
            "embeddings.token_type_embeddings.weight".to_owned(),
            vec![2, 4],
        ),
    ];

    let layer = "encoder.layer.0";
    let square = [
        ".attention.self.query",
        ".attention.self.key",
        ".attention.self.value",
        ".attention.output.dense",
    ];

    let linear = square
        .map(|name| (name, 4, 4))
        .into_iter()
        .chain([(".intermediate.dense", 16, 4), (".output.dense", 4, 16)]);

    for (name, out, into) in linear {
        all.push((format!("{layer}{name}.weight"), vec![out, into]));
        all.push((format!("{layer}{name}.bias"), vec![out]));
    }

    for name in [
        "embeddings.LayerNorm",
        "encoder.layer.0.attention.output.LayerNorm",
        "encoder.layer.0.output.LayerNorm",
    ] {
        all.push((format!("{name}.weight"), vec![4]));
        all.push((format!("{name}.bias"), vec![4]));
    }

    all
}

fn weights(extents: &[(String, Vec<usize>)]) -> Vec<u8> {
    let zeros = vec![0_u8; 4 * 64];
    let view = |shape: &Vec<usize>| {
        TensorView::new(
            Dtype::F32,
            shape.clone(),
            &zeros[..4 * shape.iter().product::<usize>()],
        )
        .unwrap()
    };
    let tensors: BTreeMap<&str, TensorView<'_>> = extents
        .iter()
        .map(|(name, shape)| (name.as_str(), view(shape)))
        .collect();
    serialize(tensors, None).unwrap()
}

/// Returns the fields of a message that are messages or texts.
fn fields(mut bytes: &[u8]) -> Vec<(u64, &[u8])> {
    fn varint(bytes: &mut &[u8]) -> u64 {
        let mut value = 0;
        for shift in (0..).step_by(7) {
            let (first, rest) = bytes.split_first().unwrap();
            *bytes = rest;
            value |= u64::from(first & 0x7f) << shift;
            if first & 0x80 == 0 {
                break;
            }
        }
        value
    }

    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let tag = varint(&mut bytes);
        match tag & 7 {
            0 => drop(varint(&mut bytes)),
            2 => {
                let length = varint(&mut bytes) as usize;
                fields.push((tag >> 3, &bytes[..length]));
                bytes = &bytes[length..];
            }
            5 => bytes = &bytes[4..],
            other => panic!("kind {other}"),
        }
    }

    fields
}

fn texts(message: &[u8], field: u64) -> Vec<String> {
    fields(message)
        .iter()
        .filter(|(of, _)| *of == field)
        .map(|(_, text)| String::from_utf8(text.to_vec()).unwrap())
        .collect()
}

#[test]
fn every_node_input_is_defined_before_it() {
    let model = bert::convert(&weights(&extents()), TINY.as_bytes()).unwrap();
    let graph = fields(&model)
        .into_iter()
        .find(|(field, _)| *field == 7)
        .unwrap()
        .1;

    let parts = fields(graph);
    let of = |wanted: u64| {
        parts
            .iter()
            .filter(move |(field, _)| *field == wanted)
            .map(|(_, part)| *part)
    };

    let mut known: Vec<String> = of(5)
        .flat_map(|tensor| texts(tensor, 8))
        .chain(of(11).flat_map(|input| texts(input, 1)))
        .collect();

    let mut count = 0;
    for node in of(1) {
        let missing: Vec<String> = texts(node, 1)
            .into_iter()
            .filter(|input| !known.contains(input))
            .collect();
        assert!(missing.is_empty(), "{:?} takes {missing:?}", texts(node, 2));
        let outputs = texts(node, 2);

        assert!(
            outputs.iter().all(|output| !known.contains(output)),
            "{outputs:?} is made twice"
        );
        known.extend(outputs);
        count += 1;
    }

    assert!(count > 40);

    let output = of(12)
        .flat_map(|output| texts(output, 1))
        .collect::<Vec<_>>();
    assert_eq!(output, ["last_hidden_state"]);
    assert!(known.contains(&output[0]));
}

#[test]
fn mismatched_weights_are_named() {
    let refused = |extents: &[(String, Vec<usize>)], config: &str| {
        bert::convert(&weights(extents), config.as_bytes())
            .unwrap_err()
            .to_string()
    };

    let all = extents();
    assert!(refused(&all[1..], TINY).contains("embeddings.word_embeddings.weight is missing"));

    let mut narrow = all.clone();
    narrow[0].1 = vec![10, 3];
    assert!(refused(&narrow, TINY).contains("has rows of 3, expected 4"));

    assert!(refused(&all, &TINY.replace("gelu", "relu")).contains("\"relu\""));
    assert!(refused(&all, &TINY.replace("bert", "gpt2")).contains("\"gpt2\""));
    assert!(refused(&all, &TINY.replace(": 2,", ": 3,")).contains("is not divisible by 3 heads"));
    assert!(refused(&all, "{").contains("config.json"));

    let cut = weights(&all);
    assert!(
        bert::convert(&cut[..cut.len() - 4], TINY.as_bytes())
            .unwrap_err()
            .to_string()
            .contains("cannot read")
    );
}

/// Creates a folder with tokenizer files and small weights.
fn folder_of_a_model() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in TOKENIZER_FILES {
        fs::write(folder.path().join(name), TINY).unwrap();
    }
    fs::write(folder.path().join(WEIGHTS_FILE), weights(&extents())).unwrap();
    folder
}

#[test]
fn missing_files_are_named_and_nothing_is_installed() {
    let (folder, own) = (folder_of_a_model(), tempfile::tempdir().unwrap());
    let locations = ModelLocations::only(own.path().join("models"));
    let message = || install(folder.path(), &locations).unwrap_err().to_string();

    assert!(
        message().contains("no ONNX Runtime library in"),
        "{}",
        message()
    );

    fs::write(folder.path().join(RUNTIME_FILE), "not a library").unwrap();
    assert!(
        message().contains("is not a complete library"),
        "{}",
        message()
    );

    fs::create_dir(folder.path().join("b")).unwrap();
    fs::write(folder.path().join("b").join(RUNTIME_FILE), "another").unwrap();
    assert!(
        message().contains("more than one ONNX Runtime library"),
        "{}",
        message()
    );

    fs::remove_file(folder.path().join(WEIGHTS_FILE)).unwrap();
    assert!(
        message().contains("no model.safetensors or model.onnx in"),
        "{}",
        message()
    );

    fs::remove_file(folder.path().join("tokenizer.json")).unwrap();
    assert!(message().contains("no tokenizer.json in"), "{}", message());

    assert_eq!(locations.find().unwrap(), None, "nothing was installed");
    let left: Vec<_> = fs::read_dir(locations.own())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(left, ["lock"]);

    assert!(install(&folder.path().join("none"), &locations).is_err());
}

#[test]
fn concurrent_installs_exclude_each_other() {
    let own = tempfile::tempdir().unwrap();
    let locations = ModelLocations::only(own.path().to_owned());
    let _first = Staging::new(&locations).unwrap();
    assert!(matches!(Staging::new(&locations), Err(InstallError::Busy)));
}

#[test]
fn an_installed_model_stays_until_it_is_replaced() {
    let own = tempfile::tempdir().unwrap();
    let locations = ModelLocations::only(own.path().to_owned());

    let staging = Staging::new(&locations).unwrap();
    for text in ["first", "second"] {
        let fresh = staging.path().join("fresh");
        fs::create_dir(&fresh).unwrap();
        fs::write(fresh.join("a"), text).unwrap();
        staging.swap(&fresh, &locations.own_model()).unwrap();
        assert_eq!(
            fs::read_to_string(locations.own_model().join("a")).unwrap(),
            text
        );
    }

    drop(staging);
    assert!(remove(&locations).unwrap());
    assert!(!remove(&locations).unwrap());
}

#[test]
fn only_model_files_are_unpacked() {
    let folder = tempfile::tempdir().unwrap();
    let package = folder.path().join("a.whl");
    let mut writer = zip::ZipWriter::new(File::create(&package).unwrap());
    let library = format!(
        "onnxruntime/capi/{RUNTIME_FILE}{}",
        if cfg!(target_os = "linux") {
            ".1.31.1"
        } else {
            ""
        }
    );
    for name in [
        "model/tokenizer.json",
        "model/1_Pooling/config.json",
        "../tokenizer.json",
        "README.md",
        &library,
    ] {
        writer
            .start_file(name, zip::write::SimpleFileOptions::default())
            .unwrap();
        writer.write_all(name.as_bytes()).unwrap();
    }
    writer.finish().unwrap();
    let target = folder.path().join("target");
    unpack(&package, &target).unwrap();
    let mut offered = Offered::default();
    offered.search(&target, 0).unwrap();
    assert_eq!(
        (
            offered.tokenizers.len(),
            offered.libraries.len(),
            offered.seen
        ),
        (1, 1, 7)
    );
    assert!(
        !folder.path().join("tokenizer.json").exists(),
        "a name that leads out is passed over"
    );

    fs::write(&package, "no archive").unwrap();
    assert!(matches!(
        unpack(&package, &folder.path().join("other")),
        Err(InstallError::Package { .. })
    ));
}

#[test]
fn libraries_are_recognized_by_name() {
    let of_system = if cfg!(windows) {
        [
            ("onnxruntime.dll", true),
            ("onnxruntime_providers_shared.dll", false),
        ]
    } else if cfg!(target_os = "macos") {
        [
            ("libonnxruntime.1.31.1.dylib", true),
            ("libonnxruntime_providers_shared.dylib", false),
        ]
    } else {
        [
            ("libonnxruntime.so.1.31.1", true),
            ("libonnxruntime_providers_shared.so", false),
        ]
    };

    for (name, expected) in of_system
        .into_iter()
        .chain([(RUNTIME_FILE, true), ("libonnxruntime.txt", false)])
    {
        assert_eq!(is_library(name), expected, "{name}");
    }
}
