//! Against recorded tools of a peer: its text form byte for byte, its native forms but for what is listed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde_json::{Value as Json, json};

use super::support::{Plain, context, effective, registry, tool, variant};
use crate::tools::{Dialect, EffectiveTool, ToolSource, declare};

/// The cases whose names begin with one of `prefixes`; none without the data, and a loud line.
fn cases(prefixes: &[&str]) -> Vec<(String, Json)> {
    let folder = std::env::var_os("PROMPTWEAVE_CONFORMANCE").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/conformance")),
        PathBuf::from,
    );
    let Ok(files) = std::fs::read_dir(folder.join("cline-tools")) else {
        eprintln!("SKIPPED: no conformance data at {}", folder.display());
        return Vec::new();
    };
    let paths: BTreeMap<String, PathBuf> = files
        .map(|file| file.unwrap())
        .map(|file| (file.file_name().into_string().unwrap(), file.path()))
        .filter(|(name, _)| prefixes.iter().any(|prefix| name.starts_with(prefix)))
        .collect();
    let read = |path| serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    paths.into_iter().map(|(name, path)| (name, read(path))).collect()
}

fn list<'a>(case: &'a Json, key: &str) -> impl Iterator<Item = &'a Json> {
    case[key].as_array().into_iter().flatten()
}

#[test]
fn text_form() {
    for (name, case) in cases(&["text-"]) {
        let agents: Vec<&Json> = list(&case, "dynamic_tools").collect();
        let replaced = |id: &str| agents.iter().any(|agent| agent["id"] == id);
        let tools = list(&case, "tools").map(|spec| (spec["id"].as_str().unwrap(), spec));
        let tools: Vec<(&str, &Json)> = tools
            .filter(|(id, _)| !replaced(id))
            .chain(agents.iter().map(|spec| (spec["name"].as_str().unwrap(), *spec)))
            .collect();
        let ids: Vec<&str> = tools.iter().map(|(id, _)| *id).collect();
        let registry = registry(tools.iter().map(|(id, spec)| tool(id, spec)));
        let empty = context(json!({}));
        let tools = effective(&registry, &variant(Some(&ids)), &empty, &Plain::default());
        let names: Vec<&str> = tools.iter().map(|tool| &*tool.id).collect();
        let expected: Vec<&str> =
            list(&case, "enabled_names").map(|name| name.as_str().unwrap()).collect();
        assert_eq!(names, expected, "{name}");
        assert!(super::docs(&tools).traced.text == case["expected"], "{name}: the texts differ");
    }
}

/// Where the peer's native forms are wrong, or tell less than the provider takes: kind, how often, and why.
const DEVIATIONS: &[(&str, usize, &str)] = &[
    (
        "depends-on",
        21,
        "a parameter whose `depends_on` does not hold stays in the peer's native forms, and so asks for a thing that the \
         prompt says nothing of; its own text form leaves it out",
    ),
    (
        "not-effective",
        9,
        "a tool whose condition fails makes the peer throw; ours is not effective, so there is nothing to declare",
    ),
    (
        "gemini-integer",
        10,
        "Gemini's `Type` has INTEGER; NUMBER lets the model write 1.5 for a line number",
    ),
    (
        "gemini-array",
        4,
        "Gemini's `Type` has ARRAY with `items`; STRING makes the model write text where the tool takes a list",
    ),
    (
        "gemini-no-parameters",
        4,
        "Gemini: \"for a function with no parameters, this can be left unset\"; an OBJECT with empty properties fails \
         with \"should be non-empty for OBJECT type\"",
    ),
    (
        "gemini-nested-description",
        3,
        "a nested property of the peer gets its parent's description; `Schema.description` is of the schema it is in",
    ),
    (
        "nested-required",
        4,
        "the peer takes a nested `required` list for the parameter's own flag and loses it; JSON Schema and Gemini's \
         `Schema` have `required` at every object",
    ),
    (
        "gemini-nested-name",
        1,
        "the peer skips a nested property called `$schema`, taking it for the keyword; Gemini's rule is about the names of \
         parameters, at the top",
    ),
    (
        "anthropic-property-name",
        1,
        "Anthropic: property names match `^[a-zA-Z0-9_.-]{1,64}$`, and one that does not fails the whole request",
    ),
    (
        "closed-object",
        10,
        "converting its own OpenAI form, the peer drops `additionalProperties: false`, which Anthropic and Responses take",
    ),
    (
        "empty-description",
        11,
        "`description` is optional with OpenAI and Anthropic (Bedrock refuses an empty one); nothing is said with nothing",
    ),
    (
        "mcp-name",
        23,
        "the peer's `uid0mcp0tool` may begin with a digit, which Gemini refuses, and says nothing to the model; ours is \
         `server__tool`",
    ),
    (
        "mcp-long-name",
        1,
        "a name over 64 bytes makes the peer drop the tool in silence; ours is shortened, with a note and a way back",
    ),
    (
        "mcp-made-up-type",
        2,
        "a property without `type` becomes a string for the peer, even beside `anyOf`: no string fits `null`",
    ),
    (
        "mcp-keyword-for-name",
        3,
        "a keyword `name` inside a property's schema renames the parameter for the peer, so that the server gets a name \
         that it does not know",
    ),
    (
        "mcp-required-ghost",
        1,
        "a required name that is no property is lost by the peer; JSON Schema allows it",
    ),
    (
        "custom-tools",
        3,
        "packs have no tools of OpenAI's `custom` type, nor functions without a description and parameters",
    ),
];

/// What may differ at a place: the kind, else none.
fn deviation(form: &str, place: &str, ours: &Json, theirs: &Json) -> Option<&'static str> {
    let last = place.rsplit('/').next().unwrap_or_default();
    let is_nested = place.matches("/properties/").count() > 1;
    Some(match (form, last) {
        (_, "task_progress") if ours.is_null() => "depends-on",
        (_, "") if theirs["error"].is_string() && ours.is_null() => "not-effective",
        (_, "description") if ours.is_null() && theirs == "" => "empty-description",
        (_, "required") if theirs.is_null() => "nested-required",
        ("google", "type") if ours == "INTEGER" && theirs == "NUMBER" => "gemini-integer",
        ("google", "type") if ours == "ARRAY" && theirs == "STRING" => "gemini-array",
        ("google", "items") if theirs.is_null() => "gemini-array",
        ("google", "parameters") if ours.is_null() => "gemini-no-parameters",
        ("google", "description") if is_nested => "gemini-nested-description",
        ("google", "$schema") if is_nested && theirs.is_null() => "gemini-nested-name",
        ("anthropic", "$schema") if is_nested && ours.is_null() => "anthropic-property-name",
        ("anthropic" | "responses", "additionalProperties") => "closed-object",
        (_, "name") if place.matches('/').count() < 3 && theirs.to_string().contains("0mcp0") => {
            "mcp-name"
        }
        ("spec", "type") if ours.is_null() => "mcp-made-up-type",
        ("spec", "required") if ours.to_string().contains("ghost") => "mcp-required-ghost",
        ("spec", "required" | "name" | "shadow") => "mcp-keyword-for-name",
        _ => return None,
    })
}

type Difference<'a> = (String, &'a Json, &'a Json);

fn differences<'a>(place: &str, ours: &'a Json, theirs: &'a Json, found: &mut Vec<Difference<'a>>) {
    if let (Json::Object(one), Json::Object(other)) = (ours, theirs) {
        let keys: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
        for key in keys {
            differences(&format!("{place}/{key}"), &ours[key], &theirs[key], found);
        }
    } else if ours != theirs {
        found.push((place.to_owned(), ours, theirs));
    }
}

#[derive(Default)]
struct Tally {
    counts: BTreeMap<&'static str, usize>,
    unlisted: Vec<String>,
    compared: usize,
}

impl Tally {
    fn compare(&mut self, name: &str, form: &str, ours: Option<&Json>, theirs: &Json) {
        self.compared += 1;
        let mut found = Vec::new();
        differences("", ours.unwrap_or(&Json::Null), theirs, &mut found);
        for (place, ours, theirs) in found {
            match deviation(form, &place, ours, theirs) {
                Some(kind) => self.count(kind),
                None => self.unlisted.push(format!("{name} {form} {place}: {ours} / {theirs}")),
            }
        }
    }

    fn count(&mut self, kind: &'static str) {
        *self.counts.entry(kind).or_default() += 1;
    }
}

const FORMS: [(&str, Dialect); 3] = [
    ("openai", Dialect::OpenAiChat),
    ("anthropic", Dialect::Anthropic),
    ("google", Dialect::Gemini),
];

#[test]
fn native_forms() {
    let mut tally = Tally::default();
    compare_native(&mut tally);
    compare_mcp(&mut tally);
    compare_specs(&mut tally);
    compare_derived(&mut tally);
    if tally.compared == 0 {
        return;
    }
    println!("{} forms compared", tally.compared);
    assert!(tally.unlisted.is_empty(), "not listed:\n{}", tally.unlisted.join("\n"));
    for (kind, count, reason) in DEVIATIONS {
        let found = tally.counts.get(kind).copied().unwrap_or_default();
        println!("{found:3} {kind}: {reason}");
        assert_eq!(found, *count, "{kind}");
    }
}

/// The values that the peer puts in.
fn values(brief: &Json) -> Plain {
    let viewport = &brief["browserSettings"]["viewport"];
    let side = |name: &str, default: u64| viewport[name].as_u64().unwrap_or(default).to_string();
    let hint = match brief["isMultiRootEnabled"].as_bool() {
        Some(true) => {
            " Use @workspace:path syntax (e.g., @frontend:src/index.ts) to specify a workspace."
        }
        _ => "",
    };
    Plain(vec![
        ("CWD", brief["cwd"].as_str().unwrap().to_owned()),
        ("MULTI_ROOT_HINT", hint.to_owned()),
        ("BROWSER_VIEWPORT_WIDTH", side("width", 900)),
        ("BROWSER_VIEWPORT_HEIGHT", side("height", 600)),
    ])
}

fn compare_native(tally: &mut Tally) {
    for (name, case) in cases(&["native-full", "native-yolo"]) {
        let brief = &case["context_brief"];
        let id = case["tool"]["name"].as_str().unwrap();
        let marker = json!({ "context_ok": brief["focusChainSettings"]["enabled"] });
        let registry = registry([tool(id, &case["tool"]), tool("focus_chain", &marker)]);
        let variant = variant(Some(&[id, "focus_chain"]));
        let tools = effective(&registry, &variant, &context(json!({})), &values(brief));
        for (form, dialect) in FORMS {
            let declared = declare(&tools, dialect);
            tally.compare(&name, form, declared.tools.first(), &case["expected"][form]);
        }
    }
}

/// The tools of the MCP server that the peer converted.
fn mcp_tools() -> Vec<EffectiveTool> {
    let servers: Vec<Json> = cases(&["mcp-spec-conversion"])
        .into_iter()
        .map(|(_, case)| case["server"].clone())
        .collect();
    let context = context(json!({ "mcp": { "servers": servers } }));
    effective(&registry([]), &variant(None), &context, &Plain::default())
}

fn find<'t>(tools: &'t [EffectiveTool], peer_name: &Json) -> &'t EffectiveTool {
    let (_, own) = peer_name.as_str().unwrap().split_once("0mcp0").unwrap();
    let is_it =
        |source: &ToolSource| matches!(source, ToolSource::Mcp { tool, .. } if **tool == *own);
    tools.iter().find(|tool| is_it(&tool.source)).unwrap()
}

fn compare_mcp(tally: &mut Tally) {
    let tools = mcp_tools();
    for (name, case) in cases(&["mcp-native"]) {
        let tool = find(&tools, &case["tool"]["name"]);
        for (form, dialect) in FORMS {
            let declared = declare(std::slice::from_ref(tool), dialect);
            tally.compare(&name, form, declared.tools.first(), &case["expected"][form]);
        }
    }
}

/// The peer's specifications of MCP tools, in the shape of an OpenAI function.
fn compare_specs(tally: &mut Tally) {
    let tools = mcp_tools();
    for (name, case) in cases(&["mcp-spec-conversion"]) {
        let specs: Vec<&Json> = list(&case, "expected_specs").collect();
        for _ in specs.len()..tools.len() {
            tally.count("mcp-long-name");
        }
        for spec in specs {
            let tool = find(&tools, &spec["name"]);
            let declared = declare(std::slice::from_ref(tool), Dialect::OpenAiChat);
            let ours = &declared.tools[0]["function"];
            tally.compare(&name, "spec", Some(ours), &function_of(spec));
        }
    }
}

fn function_of(spec: &Json) -> Json {
    let mut properties = serde_json::Map::new();
    let mut required = Vec::new();
    for parameter in list(spec, "parameters") {
        let mut property = parameter.as_object().unwrap().clone();
        let name = property.remove("name").unwrap().as_str().unwrap().to_owned();
        if property.remove("required").is_some_and(|flag| flag != false) {
            required.push(name.clone());
        }
        let instruction = property.remove("instruction").unwrap();
        property.insert("description".into(), instruction);
        properties.insert(name, property.into());
    }
    json!({
        "name": spec["name"], "description": spec["description"], "strict": false,
        "parameters": {
            "type": "object", "properties": properties, "required": required,
            "additionalProperties": false,
        },
    })
}

fn compare_derived(tally: &mut Tally) {
    for (name, case) in cases(&["openai-derived"]) {
        for case in list(&case, "cases") {
            let function = &case["openai"]["function"];
            let Some(schema) = function.get("parameters") else {
                tally.count("custom-tools");
                continue;
            };
            let host = json!({ "name": function["name"], "description": function["description"], "input_schema": schema });
            let context = context(json!({ "tools": [host] }));
            let tools = effective(&registry([]), &variant(None), &context, &Plain::default());
            for (form, dialect, theirs) in [
                ("anthropic", Dialect::Anthropic, &case["anthropic"]),
                ("responses", Dialect::OpenAiResponses, &case["responses_list"][0]),
                ("responses", Dialect::OpenAiResponses, &case["responses_one"]),
            ] {
                let declared = declare(&tools, dialect);
                tally.compare(
                    &format!("{name} {}", tools[0].id),
                    form,
                    declared.tools.first(),
                    theirs,
                );
            }
        }
    }
}

/// Which tools are declared, for every variant and provider that the peer has native tools for.
#[test]
fn native_lists() {
    let texts = cases(&["text-"]);
    let enabled: BTreeSet<&str> = texts
        .iter()
        .filter(|(name, _)| name.ends_with("-base.json"))
        .flat_map(|(_, case)| list(case, "enabled_ids").map(|id| id.as_str().unwrap()))
        .collect();
    let mut compared = 0;
    for (_, lists) in cases(&["native-lists"]) {
        for case in list(&lists, "cases").filter(|case| !case["names"].is_null()) {
            let variant_id = case["variant"].as_str().unwrap();
            let is_of = |(_, text): &&(String, Json)| text["variant"] == variant_id;
            let (_, text) = texts.iter().find(is_of).unwrap();
            assert_eq!(declared_names(text, case, &enabled), peer_names(case), "{case}");
            compared += 1;
        }
    }
    println!("{compared} lists compared");
}

fn declared_names(text: &Json, case: &Json, enabled: &BTreeSet<&str>) -> Vec<String> {
    let is_web = |id: &str| matches!(id, "web_fetch" | "web_search");
    let is_on =
        |id: &str| if is_web(id) { case["provider"] == "cline" } else { enabled.contains(id) };
    let specs = list(text, "tools").map(|spec| (spec["id"].as_str().unwrap(), spec));
    let (ids, tools): (Vec<&str>, Vec<_>) = specs
        .map(|(id, spec)| {
            let mut spec = spec.clone();
            spec["context_ok"] = json!(is_on(id));
            (id, tool(id, &spec))
        })
        .unzip();
    let server =
        json!({ "name": "test-server", "status": "connected", "tools": [{ "name": "test_tool" }] });
    let context = context(json!({ "mcp": { "servers": [server] } }));
    let tools = effective(&registry(tools), &variant(Some(&ids)), &context, &Plain::default());
    let (_, dialect) = FORMS.into_iter().find(|(form, _)| case["shape"] == *form).unwrap();
    let declared = declare(&tools, dialect).tools;
    let names = declared
        .iter()
        .map(|tool| tool.get("function").unwrap_or(tool)["name"].as_str().unwrap().to_owned());
    names.collect()
}

/// With our name for the one tool of a server: the deviation `mcp-name`.
fn peer_names(case: &Json) -> Vec<String> {
    let names = list(case, "names").map(|name| name.as_str().unwrap());
    names.map(|name| name.replace("12345670mcp0test_tool", "test-server__test_tool")).collect()
}
