//! Libraries of macOS and Windows, as far as the common ground goes. Not tried on those systems.
//!
//! In: the bytes of a Mach-O or PE file. Out: its facts. Never: more than the limits.

use ::object::{
    BinaryFormat, ExportTarget, File, NameOrOrdinal, Object as _, ObjectKind, ObjectSection as _,
    ObjectSegment as _,
};

use super::{
    Binding, ENDS, Export, Language, MANIFEST, MAX_COUNT, ObjectError, ObjectFacts, Stack,
    manifest_text, name, target,
};

pub(super) fn read(bytes: &[u8]) -> Result<ObjectFacts, ObjectError> {
    let file = File::parse(bytes)?;
    if file.kind() != ObjectKind::Dynamic {
        return Err(ObjectError::NotShared);
    }
    let target = target_of(&file);
    let (mut exports, mut manifest) = (Vec::new(), None);
    for export in file.exports()?.take(MAX_COUNT) {
        let export = export?;
        let NameOrOrdinal::Name(symbol) = export.name() else { continue };
        let name = name(without_underscore(&file, symbol));
        if let (MANIFEST, ExportTarget::Address { address }) = (&*name, export.target()) {
            manifest = at_address(&file, address).and_then(manifest_text);
        }
        let binding = if export.is_weak() { Binding::Weak } else { Binding::Strong };
        exports.push(Export { name, binding });
    }
    Ok(ObjectFacts {
        fit: target::fit(&target),
        target,
        exports,
        entries: Vec::new(),
        manifest,
        needed: needed(&file)?,
        search_paths: Vec::new(),
        stack: Stack::Plain,
        glibc: None,
        language: language(&file),
        ends: ends(&file)?,
    })
}

fn target_of(file: &File<'_>) -> String {
    let arch = target::architecture(file.architecture(), file.endianness());
    match file.format() {
        BinaryFormat::MachO => format!("{arch}-macos"),
        BinaryFormat::Pe => format!("{arch}-windows"),
        other => format!("{arch}-{}", format!("{other:?}").to_lowercase()),
    }
}

/// Symbols of Mach-O begin with an underscore that their sources do not have.
fn without_underscore<'n>(file: &File<'_>, symbol: &'n [u8]) -> &'n [u8] {
    match file.format() {
        BinaryFormat::MachO => symbol.strip_prefix(b"_").unwrap_or(symbol),
        _ => symbol,
    }
}

/// The bytes from an address to the end of its segment.
fn at_address<'b>(file: &File<'b>, address: u64) -> Option<&'b [u8]> {
    file.segments().take(MAX_COUNT).find_map(|segment| {
        let left = segment.size().checked_sub(address.checked_sub(segment.address())?)?;
        let bytes = segment.data_range(address, left).ok().flatten();
        bytes.or_else(|| {
            // A segment may be larger in memory than in the file.
            let at = usize::try_from(address - segment.address()).ok()?;
            segment.data().ok()?.get(at..)
        })
    })
}

fn needed(file: &File<'_>) -> Result<Vec<String>, ObjectError> {
    let libraries = file.import_libraries()?.take(MAX_COUNT);
    libraries.map(|library| Ok(name(library?.name()))).collect()
}

fn language(file: &File<'_>) -> Language {
    let mut sections = file.sections().take(MAX_COUNT);
    match sections.any(|section| section.name_bytes() == Ok(b"__go_buildinfo")) {
        true => Language::Go,
        false => Language::Other,
    }
}

fn ends(file: &File<'_>) -> Result<Vec<String>, ObjectError> {
    let mut ends = Vec::new();
    for import in file.imports()?.take(MAX_COUNT) {
        let import = import?;
        let NameOrOrdinal::Name(symbol) = import.name() else { continue };
        let name = name(without_underscore(file, symbol));
        if ENDS.contains(&&*name) {
            ends.push(name);
        }
    }
    Ok(ends)
}
