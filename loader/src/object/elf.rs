//! Libraries of Linux and its kin.
//!
//! In: the bytes of an ELF file. Out: its facts. Never: follows a chain further than the limits.

use ::object::elf;
use ::object::read::elf::{ElfFile, FileHeader, ProgramHeader as _, Sym as _, SymbolTable};
use ::object::{Endianness, Object as _, SymbolIndex};

use super::{
    Binding, ENDS, Export, GlibcFloor, Language, MANIFEST, MAX_COUNT, ObjectError, ObjectFacts,
    Stack, manifest_text, name, target,
};

type Bytes<'b> = &'b [u8];
type Symbols<'b, H> = SymbolTable<'b, H, Bytes<'b>>;

pub(super) fn read<H: FileHeader<Endian = Endianness>>(
    bytes: &[u8],
) -> Result<ObjectFacts, ObjectError> {
    let file = ElfFile::<H, &[u8]>::parse(bytes)?;
    if file.elf_header().e_type(file.endian()) != elf::ET_DYN {
        return Err(ObjectError::NotShared);
    }
    let linked = linked(&file)?;
    let target = target_of(&file, &linked.needed);
    let symbols = file.elf_dynamic_symbol_table();
    let (exports, manifest) = exports(&file, symbols)?;
    Ok(ObjectFacts {
        fit: target::fit(&target),
        target,
        exports,
        entries: Vec::new(),
        manifest,
        needed: linked.needed,
        search_paths: linked.search_paths,
        stack: stack(&file),
        glibc: glibc(&file, symbols)?,
        language: language(&file),
        ends: ends(&file, symbols),
    })
}

/// What the dynamic table says.
struct Linked {
    needed: Vec<String>,
    search_paths: Vec<String>,
}

fn linked<'b, H: FileHeader<Endian = Endianness>>(
    file: &ElfFile<'b, H, Bytes<'b>>,
) -> Result<Linked, ObjectError> {
    let mut linked = Linked { needed: Vec::new(), search_paths: Vec::new() };
    let table = file.elf_dynamic_table()?;
    for entry in table.iter().take(MAX_COUNT) {
        let list = match entry.tag {
            elf::DT_NEEDED => &mut linked.needed,
            elf::DT_RPATH | elf::DT_RUNPATH => &mut linked.search_paths,
            elf::DT_FLAGS_1 if entry.val & elf::DF_1_PIE.0 != 0 => {
                return Err(ObjectError::NotShared);
            }
            _ => continue,
        };
        list.push(name(table.string(entry)?));
    }
    Ok(linked)
}

fn target_of<'b, H: FileHeader<Endian = Endianness>>(
    file: &ElfFile<'b, H, Bytes<'b>>,
    needed: &[String],
) -> String {
    let arch = target::architecture(file.architecture(), file.endian());
    let os = match file.elf_header().e_ident().os_abi {
        elf::ELFOSABI_SYSV | elf::ELFOSABI_LINUX => "linux",
        elf::ELFOSABI_FREEBSD => return format!("{arch}-freebsd"),
        elf::ELFOSABI_NETBSD => return format!("{arch}-netbsd"),
        elf::ELFOSABI_OPENBSD => return format!("{arch}-openbsd"),
        _ => return format!("{arch}-unknown"),
    };
    let needs = |wanted: fn(&str) -> bool| needed.iter().any(|library| wanted(library));
    if needs(|library| library == "libc.so" || library.starts_with("libc.musl-")) {
        return format!("{arch}-{os}-musl");
    }
    if needs(|library| library == "libc.so.6" || library.starts_with("ld-linux")) {
        return format!("{arch}-{os}-gnu");
    }
    format!("{arch}-{os}")
}

type Exports = (Vec<Export>, Option<String>);

fn exports<'b, H: FileHeader<Endian = Endianness>>(
    file: &ElfFile<'b, H, Bytes<'b>>,
    symbols: &Symbols<'b, H>,
) -> Result<Exports, ObjectError> {
    let endian = file.endian();
    let (mut exports, mut manifest) = (Vec::new(), None);
    for symbol in symbols.iter().take(MAX_COUNT) {
        let binding = match symbol.st_bind() {
            elf::STB_GLOBAL => Binding::Strong,
            elf::STB_WEAK => Binding::Weak,
            elf::STB_GNU_UNIQUE => Binding::Unique,
            _ => continue,
        };
        let seen = matches!(symbol.st_visibility(), elf::STV_DEFAULT | elf::STV_PROTECTED);
        if symbol.is_undefined(endian) || !seen {
            continue;
        }
        let name = name(symbol.name(endian, symbols.strings())?);
        if name == MANIFEST {
            manifest = at_address(file, symbol.st_value(endian).into()).and_then(manifest_text);
        }
        exports.push(Export { name, binding });
    }
    Ok((exports, manifest))
}

/// The bytes of the file from an address of the loaded library to the end of its segment.
fn at_address<'b, H: FileHeader<Endian = Endianness>>(
    file: &ElfFile<'b, H, Bytes<'b>>,
    address: u64,
) -> Option<&'b [u8]> {
    let endian = file.endian();
    let loaded = file.elf_program_headers().iter().take(MAX_COUNT);
    loaded.filter(|segment| segment.p_type(endian) == elf::PT_LOAD).find_map(|segment| {
        let at = address.checked_sub(segment.p_vaddr(endian).into())?;
        let left = segment.p_filesz(endian).into().checked_sub(at)?;
        let start = usize::try_from(segment.p_offset(endian).into().checked_add(at)?).ok()?;
        let end = start.checked_add(usize::try_from(left).ok()?)?;
        file.data().get(start..end).filter(|bytes| !bytes.is_empty())
    })
}

/// Without a word about its stack, the loader makes it executable.
fn stack<'b, H: FileHeader<Endian = Endianness>>(file: &ElfFile<'b, H, Bytes<'b>>) -> Stack {
    let endian = file.endian();
    let mut headers = file.elf_program_headers().iter();
    match headers.find(|header| header.p_type(endian) == elf::PT_GNU_STACK) {
        Some(header) if header.p_flags(endian).0 & elf::PF_X.0 == 0 => Stack::Plain,
        Some(_) | None => Stack::Executable,
    }
}

fn language<'b, H: FileHeader<Endian = Endianness>>(file: &ElfFile<'b, H, Bytes<'b>>) -> Language {
    let (endian, sections) = (file.endian(), file.elf_section_table());
    match sections.section_by_name(endian, b".go.buildinfo") {
        Some(_) => Language::Go,
        None => Language::Other,
    }
}

fn ends<'b, H: FileHeader<Endian = Endianness>>(
    file: &ElfFile<'b, H, Bytes<'b>>,
    symbols: &Symbols<'b, H>,
) -> Vec<String> {
    let endian = file.endian();
    let imported = symbols.iter().take(MAX_COUNT).filter(|symbol| symbol.is_undefined(endian));
    let names = imported.filter_map(|symbol| symbol.name(endian, symbols.strings()).ok());
    names.map(name).filter(|name| ENDS.contains(&&**name)).collect()
}

/// The newest version of glibc among those that must be there, with the first symbol that has it.
fn glibc<'b, H: FileHeader<Endian = Endianness>>(
    file: &ElfFile<'b, H, Bytes<'b>>,
    symbols: &Symbols<'b, H>,
) -> Result<Option<GlibcFloor>, ObjectError> {
    let Some((version, index)) = newest(file)? else { return Ok(None) };
    let (endian, sections) = (file.endian(), file.elf_section_table());
    let versions = sections.gnu_versym(endian, file.data())?.map(|(table, _)| table);
    let mut of_symbols = versions.unwrap_or_default().iter().take(MAX_COUNT);
    let at = of_symbols.position(|one| one.0.get(endian).index() == index);
    let symbol = at.and_then(|at| {
        let symbol = symbols.symbol(SymbolIndex(at)).ok()?;
        symbol.name(endian, symbols.strings()).ok()
    });
    Ok(Some(GlibcFloor { version, symbol: symbol.map(name).unwrap_or_default() }))
}

type Newest = Option<([u32; 3], elf::VersionIndex)>;

fn newest<'b, H: FileHeader<Endian = Endianness>>(
    file: &ElfFile<'b, H, Bytes<'b>>,
) -> Result<Newest, ObjectError> {
    let (endian, sections) = (file.endian(), file.elf_section_table());
    let Some((mut files, link)) = sections.gnu_verneed(endian, file.data())? else {
        return Ok(None);
    };
    let strings = sections.strings(endian, file.data(), link)?;
    let (mut newest, mut left): (Newest, _) = (None, MAX_COUNT);
    while let Some((_, mut versions)) = files.next()? {
        while let Some(version) = versions.next()? {
            // The chains of a hostile file cross each other.
            let Some(fewer) = left.checked_sub(1) else { return Ok(newest) };
            left = fewer;
            if version.vna_flags.get(endian).0 & elf::VER_FLG_WEAK.0 != 0 {
                continue;
            }
            let Some(number) = version.name(endian, strings).ok().and_then(glibc_version) else {
                continue;
            };
            if newest.is_none_or(|(so_far, _)| number > so_far) {
                newest = Some((number, version.vna_other.get(endian)));
            }
        }
    }
    Ok(newest)
}

/// `GLIBC_2.34` as numbers.
fn glibc_version(name: &[u8]) -> Option<[u32; 3]> {
    let text = std::str::from_utf8(name).ok()?.strip_prefix("GLIBC_")?;
    let mut numbers = [0; 3];
    let mut parts = text.split('.');
    for (number, part) in numbers.iter_mut().zip(&mut parts) {
        *number = part.parse().ok()?;
    }
    parts.next().is_none().then_some(numbers)
}
