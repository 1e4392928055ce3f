//! The macro that makes a plugin of an author's types.
//!
//! In: names of types. Out: a static table, `plugin()` and two symbols. Never: work; that is in generic
//! functions.

/// Makes a plugin: a function `plugin()` that hands it out, and the symbols that a library needs.
///
/// ```text
/// export_plugin! {
///     name: "acme", version: env!("CARGO_PKG_VERSION"),
///     description: "…", license: "MIT", homepage: "https://…",  // each may be left out
///     state: State, init: State::from_config,                   // both or none
///     components: [Workspace], matchers: [OnWeekends], helpers: [Shout], probes: [Git],
///     variants: [Data::new("acme-small", "…", include_str!("acme-small.json"))],
///     tools: [Data::new("open_ticket", "…", include_str!("open_ticket.json"))],
///     symbol: cfg(feature = "export"),
/// }
/// ```
///
/// Keys come in this order; all but the first two may be left out. `init` is a
/// `fn(&str) -> Result<State, Error>`; it gets the configuration as JSON. Without a state it is `()`.
/// Mistakes that can be seen in the facts, such as an id given twice, do not compile.
///
/// **One crate, two uses.** A crate with `crate-type = ["cdylib"]` needs no `symbol`: the entry symbol is
/// exported. If hosts shall be able to link the plugin in as well, two such plugins would define one
/// symbol twice. Then say when to export it, by a feature of your own:
///
/// ```toml
/// [lib]
/// crate-type = ["cdylib", "rlib"]
/// [features]
/// default = ["export"]
/// export = []
/// ```
///
/// Hosts depend on it with `default-features = false` and pass `acme::plugin()` to their loader.
#[macro_export]
macro_rules! export_plugin {
    (
        name: $name:expr, version: $version:expr
        $(, description: $description:expr)?
        $(, license: $license:expr)?
        $(, homepage: $homepage:expr)?
        $(, state: $state:ty, init: $init:expr)?
        $(, components: [$($component:ty),* $(,)?])?
        $(, matchers: [$($matcher:ty),* $(,)?])?
        $(, helpers: [$($helper:ty),* $(,)?])?
        $(, probes: [$($probe:ty),* $(,)?])?
        $(, variants: [$($variant:expr),* $(,)?])?
        $(, tools: [$($tool:expr),* $(,)?])?
        $(, symbol: cfg($($when:tt)*))?
        $(,)?
    ) => {
        #[cfg(not(panic = "unwind"))]
        ::core::compile_error!(
            "a plugin must be built with `panic = \"unwind\"`: otherwise a panic ends the host"
        );

        /// The plugin, for a host that links it in.
        pub fn plugin() -> $crate::Entry {
            use $crate::__private as __weave;

            #[allow(unused_parens)]
            type __State = ($($state)?);
            struct __Exported;

            const __HEAD: __weave::Head = __weave::Head {
                name: $name,
                version: $version,
                description: &[$($description)?],
                license: &[$($license)?],
                homepage: &[$($homepage)?],
            };
            const __ITEMS: &[__weave::Item] = &[
                $($(__weave::component::<__State, $component>(
                    $crate::__reads!($component, Component<__State>, SECTIONS)
                ),)*)?
                $($(__weave::matcher::<__State, $matcher>(
                    $crate::__reads!($matcher, Matcher<__State>)
                ),)*)?
                $($(__weave::helper::<__State, $helper>(
                    $crate::__reads!($helper, Helper<__State>)
                ),)*)?
                $($(__weave::probe::<__State, $probe>(
                    $crate::__reads!($probe, Probe<__State>)
                ),)*)?
                $($(__weave::variant($variant),)*)?
                $($(__weave::tool($tool),)*)?
            ];
            static __TABLE: __weave::Plugin =
                __weave::plugin::<__Exported>(&__HEAD, __ITEMS);

            // SAFETY: the table was made for it right above.
            unsafe impl __weave::Definition for __Exported {
                type State = __State;

                fn table() -> &'static __weave::Plugin {
                    &__TABLE
                }

                fn init(config: &str) -> ::core::result::Result<__State, $crate::Error> {
                    $crate::__init!(config $(, $init)?)
                }
            }

            $crate::__symbols!($(cfg($($when)*))?);

            __weave::handle::<__Exported>()
        }
    };
}

/// The entry and the embedded manifest as symbols, if the author's condition holds.
#[doc(hidden)]
#[macro_export]
macro_rules! __symbols {
    () => { $crate::__symbols!(cfg(all())); };
    (cfg($($when:tt)*)) => {
        #[cfg($($when)*)]
        const _: () = {
            // SAFETY: the name is the ABI's own; a library holds one plugin.
            #[unsafe(no_mangle)]
            unsafe extern "C" fn weave_plugin_entry_v1(
                host: *const __weave::HostApi,
                out: *mut *const __weave::Plugin,
            ) -> __weave::Status {
                // SAFETY: the host's promise is the same.
                unsafe { __weave::entry::<__Exported>(host, out) }
            }

            const LEN: usize = __weave::manifest::<0>(&__HEAD, __ITEMS).len;

            // SAFETY: as above.
            #[unsafe(no_mangle)]
            #[used]
            #[allow(non_upper_case_globals)]
            static weave_manifest_v1: [u8; LEN] =
                __weave::manifest::<LEN>(&__HEAD, __ITEMS).bytes;
        };
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __init {
    ($config:ident) => {{
        let _ = $config;
        ::core::result::Result::Ok(())
    }};
    ($config:ident, $init:expr) => {
        ($init)($config)
    };
}

/// What a type reads. Arrays as long as its lists need concrete types, which only a macro has.
#[doc(hidden)]
#[macro_export]
macro_rules! __reads {
    ($item:ty, $trait:ident<$state:ty> $(, $sections:ident)?) => {
        __weave::Reads {
            deps: $crate::__strs!(<$item as $crate::$trait<$state>>::DEPS),
            sections: $crate::__strs!($(<$item as $crate::$trait<$state>>::$sections)?),
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __strs {
    () => {
        &[]
    };
    ($texts:expr) => {
        const { &__weave::strs::<{ $texts.len() }>($texts) }
    };
}
