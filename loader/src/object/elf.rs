//! Libraries of Linux and its kin.
//!
//! In: the bytes of an ELF file. Out: its facts. Never: follows a chain, or looks for a name's end,
//! further than the limits.

use ::object::elf;
use ::object::read::elf::{
    ElfFile, FileHeader, ProgramHeader as _, SectionHeader as _, Sym as _, SymbolTable,
};
use ::object::{Endianness, Object as _, SectionIndex, SymbolIndex};

use super::strings::Strings;
use super::{
    Binding, ENDS, Export, GlibcFloor, Language, MANIFEST, MAX_COUNT, ObjectError, ObjectFacts,
    Stack, manifest_text, name, target,
};

type Bytes<'b> = &'b [u8];

/// A library that is being read.
struct Library<'b, H: FileHeader<Endian = Endianness>> {
    file: ElfFile<'b, H, Bytes<'b>>,
    endian: Endianness,
    /// The names of its dynamic symbols, and of everything else that is dynamic.
    strings: Strings<'b>,
}

pub(super) fn read<H: FileHeader<Endian = Endianness>>(
    bytes: &[u8],
) -> Result<ObjectFacts, ObjectError> {
    let library = Library::<H>::parse(bytes)?;
    let linked = library.linked()?;
    let target = library.target(&linked.needed);
    let (exports, manifest) = library.exports()?;
    Ok(ObjectFacts {
        fit: target::fit(&target),
        target,
        exports,
        entries: Vec::new(),
        manifest,
        needed: linked.needed,
        search_paths: linked.search_paths,
        stack: library.stack(),
        glibc: library.glibc()?,
        language: library.language()?,
        ends: library.ends(),
    })
}

/// What the dynamic table says.
struct Linked {
    needed: Vec<String>,
    search_paths: Vec<String>,
}

type Newest = Option<([u32; 3], elf::VersionIndex)>;

impl<'b, H: FileHeader<Endian = Endianness>> Library<'b, H> {
    fn parse(bytes: &'b [u8]) -> Result<Self, ObjectError> {
        let file = ElfFile::<H, Bytes<'b>>::parse(bytes)?;
        let endian = file.endian();
        if file.elf_header().e_type(endian) != elf::ET_DYN {
            return Err(ObjectError::NotShared);
        }
        let section = file.elf_dynamic_symbol_table().string_section();
        let strings = strings(&file, section)?;
        Ok(Self { file, endian, strings })
    }

    fn symbols(&self) -> &SymbolTable<'b, H, Bytes<'b>> {
        self.file.elf_dynamic_symbol_table()
    }

    fn linked(&self) -> Result<Linked, ObjectError> {
        let mut linked = Linked { needed: Vec::new(), search_paths: Vec::new() };
        let table = self.file.elf_dynamic_table()?;
        for entry in table.iter().take(MAX_COUNT) {
            let list = match entry.tag {
                elf::DT_NEEDED => &mut linked.needed,
                elf::DT_RPATH | elf::DT_RUNPATH => &mut linked.search_paths,
                elf::DT_FLAGS_1 if entry.val & elf::DF_1_PIE.0 != 0 => {
                    return Err(ObjectError::NotShared);
                }
                _ => continue,
            };
            list.push(name(self.strings.get(entry.val)?));
        }
        Ok(linked)
    }

    fn target(&self, needed: &[String]) -> String {
        let arch = target::architecture(self.file.architecture(), self.endian);
        match self.file.elf_header().e_ident().os_abi {
            elf::ELFOSABI_SYSV | elf::ELFOSABI_LINUX => {}
            elf::ELFOSABI_FREEBSD => return format!("{arch}-freebsd"),
            elf::ELFOSABI_NETBSD => return format!("{arch}-netbsd"),
            elf::ELFOSABI_OPENBSD => return format!("{arch}-openbsd"),
            _ => return format!("{arch}-unknown"),
        }
        let needs = |wanted: fn(&str) -> bool| needed.iter().any(|library| wanted(library));
        if needs(|library| library == "libc.so" || library.starts_with("libc.musl-")) {
            return format!("{arch}-linux-musl");
        }
        if needs(|library| library == "libc.so.6" || library.starts_with("ld-linux")) {
            return format!("{arch}-linux-gnu");
        }
        format!("{arch}-linux")
    }

    fn exports(&self) -> Result<(Vec<Export>, Option<String>), ObjectError> {
        let (mut exports, mut manifest) = (Vec::new(), None);
        for symbol in self.symbols().iter().take(MAX_COUNT) {
            let binding = match symbol.st_bind() {
                elf::STB_GLOBAL => Binding::Strong,
                elf::STB_WEAK => Binding::Weak,
                elf::STB_GNU_UNIQUE => Binding::Unique,
                _ => continue,
            };
            let seen = matches!(symbol.st_visibility(), elf::STV_DEFAULT | elf::STV_PROTECTED);
            if symbol.is_undefined(self.endian) || !seen {
                continue;
            }
            let name = name(self.strings.get(symbol.st_name(self.endian).into())?);
            if name == MANIFEST {
                let address = symbol.st_value(self.endian).into();
                manifest = self.at_address(address).and_then(manifest_text);
            }
            exports.push(Export { name, binding });
        }
        Ok((exports, manifest))
    }

    /// The bytes of the file from an address of the loaded library to the end of its segment.
    fn at_address(&self, address: u64) -> Option<&'b [u8]> {
        let endian = self.endian;
        let loaded = self.file.elf_program_headers().iter().take(MAX_COUNT);
        loaded.filter(|segment| segment.p_type(endian) == elf::PT_LOAD).find_map(|segment| {
            let at = address.checked_sub(segment.p_vaddr(endian).into())?;
            let left = segment.p_filesz(endian).into().checked_sub(at)?;
            let start = usize::try_from(segment.p_offset(endian).into().checked_add(at)?).ok()?;
            let end = start.checked_add(usize::try_from(left).ok()?)?;
            self.file.data().get(start..end).filter(|bytes| !bytes.is_empty())
        })
    }

    /// Without a word about its stack, the loader makes it executable.
    fn stack(&self) -> Stack {
        let mut headers = self.file.elf_program_headers().iter().take(MAX_COUNT);
        match headers.find(|header| header.p_type(self.endian) == elf::PT_GNU_STACK) {
            Some(header) if header.p_flags(self.endian).0 & elf::PF_X.0 == 0 => Stack::Plain,
            Some(_) | None => Stack::Executable,
        }
    }

    fn language(&self) -> Result<Language, ObjectError> {
        let names = self.file.elf_header().section_strings_index(self.endian, self.file.data())?;
        let names = strings(&self.file, names)?;
        let mut sections = self.file.elf_section_table().iter().take(MAX_COUNT);
        let is_go = sections
            .any(|section| names.get(section.sh_name(self.endian).into()) == Ok(b".go.buildinfo"));
        Ok(if is_go { Language::Go } else { Language::Other })
    }

    fn ends(&self) -> Vec<String> {
        let symbols = self.symbols().iter().take(MAX_COUNT);
        let imported = symbols.filter(|symbol| symbol.is_undefined(self.endian));
        let names =
            imported.filter_map(|one| self.strings.get(one.st_name(self.endian).into()).ok());
        names.map(name).filter(|name| ENDS.contains(&&**name)).collect()
    }

    /// The newest version of glibc among those that must be there, with the first symbol that has it.
    fn glibc(&self) -> Result<Option<GlibcFloor>, ObjectError> {
        let Some((version, index)) = self.newest()? else { return Ok(None) };
        let sections = self.file.elf_section_table();
        let versions = sections.gnu_versym(self.endian, self.file.data())?;
        let mut versions =
            versions.map(|(table, _)| table).unwrap_or_default().iter().take(MAX_COUNT);
        let at = versions.position(|one| one.0.get(self.endian).index() == index);
        let symbol = at.and_then(|at| {
            let symbol = self.symbols().symbol(SymbolIndex(at)).ok()?;
            self.strings.get(symbol.st_name(self.endian).into()).ok()
        });
        Ok(Some(GlibcFloor { version, symbol: symbol.map(name).unwrap_or_default() }))
    }

    fn newest(&self) -> Result<Newest, ObjectError> {
        let sections = self.file.elf_section_table();
        let Some((mut files, _)) = sections.gnu_verneed(self.endian, self.file.data())? else {
            return Ok(None);
        };
        let (mut newest, mut left): (Newest, _) = (None, MAX_COUNT);
        while let Some((_, mut versions)) = files.next()? {
            while let Some(version) = versions.next()? {
                // The chains of a hostile file cross each other.
                let Some(fewer) = left.checked_sub(1) else { return Ok(newest) };
                left = fewer;
                if version.vna_flags.get(self.endian).0 & elf::VER_FLG_WEAK.0 != 0 {
                    continue;
                }
                let name = self.strings.get(version.vna_name.get(self.endian).into())?;
                let Some(number) = glibc_version(name) else { continue };
                if newest.is_none_or(|(so_far, _)| number > so_far) {
                    newest = Some((number, version.vna_other.get(self.endian)));
                }
            }
        }
        Ok(newest)
    }
}

/// The names in a section; none for no section.
fn strings<'b, H: FileHeader<Endian = Endianness>>(
    file: &ElfFile<'b, H, Bytes<'b>>,
    section: SectionIndex,
) -> Result<Strings<'b>, ObjectError> {
    if section.0 == 0 {
        return Ok(Strings::default());
    }
    let section = file.elf_section_table().section(section)?;
    Ok(Strings(section.data(file.endian(), file.data())?))
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
