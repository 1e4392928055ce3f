//! Every diagnostic code: its name, its severity and what it means.

use super::Severity;

macro_rules! codes {
    ($($name:ident $text:literal $severity:ident $meaning:literal)*) => {
        /// A stable name for one kind of diagnostic; tools may rely on it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $(#[doc = $meaning] $name,)*
        }

        impl Code {
            /// All codes, in the order of this list.
            pub const ALL: &[Code] = &[$(Code::$name),*];

            /// The name that tools see, in kebab case.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// The severity that a diagnostic of this code has.
            pub fn severity(self) -> Severity {
                match self { $(Self::$name => Severity::$severity,)* }
            }

            /// One sentence: what a diagnostic of this code says.
            pub fn meaning(self) -> &'static str {
                match self { $(Self::$name => $meaning,)* }
            }
        }
    };
}

codes! {
    // Reading files
    FileUnreadable "file-unreadable" Error "A file of a pack cannot be read."
    FileNotUtf8 "file-not-utf8" Error "A file is not UTF-8, or holds a NUL byte."
    FileTooLarge "file-too-large" Error "A file of a pack is over the size limit."
    FileUnexpected "file-unexpected" Warning "A file of a pack has a name that the format does not know."
    PackMissing "pack-missing" Error "A folder has no `pack.toml`, or does not exist."
    FormatUnsupported "format-unsupported" Error "A pack is written for a newer engine."
    TomlSyntax "toml-syntax" Error "A file is not TOML."
    UnknownKey "unknown-key" Error "A key that the format does not have."
    WrongType "wrong-type" Error "A value has the wrong type, or is missing."
    InvalidId "invalid-id" Error "A name is not a valid id, or is taken by a helper."
    InvalidValue "invalid-value" Error "A value is outside what the key accepts."
    VersionMismatch "version-mismatch" Error "The number in a file's name is not the version written in it."
    DuplicateId "duplicate-id" Error "Two files of one pack define the same id."
    ConflictingKeys "conflicting-keys" Error "Two keys that exclude each other, or none of those that are needed."
    // References and shapes
    ExtendsUnknown "extends-unknown" Error "A variant extends one that does not exist."
    ExtendsCycle "extends-cycle" Error "Variants extend each other in a circle."
    PartialUnknown "partial-unknown" Error "A template names a partial that does not exist."
    PartialCycle "partial-cycle" Error "Partials include each other in a circle."
    LabelUnknown "label-unknown" Warning "A label points to a version that does not exist."
    PatchTarget "patch-target" Warning "A patch names a variant, component, tool or anchor that does not exist."
    OverrideUnused "override-unused" Warning "A variant overrides a component that it does not run."
    OverrideDrift "override-drift" Warning "The text that an override was written against has changed."
    ComponentUnknown "component-unknown" Warning "A variant runs, or a template names, a component that does not exist; its section is missing."
    ComponentUnplaced "component-unplaced" Warning "A variant runs a component that its template does not print."
    ToolUnknown "tool-unknown" Note "A variant offers, or a template names, a tool that has no file; hosts may have it."
    ItemUnknown "item-unknown" Warning "A component comes from an item that no extension supplies; its section is missing."
    MatcherUnknown "matcher-unknown" Warning "A variant asks a matcher that no extension supplies; the answer is no."
    VariantUnreachable "variant-unreachable" Warning "A variant can never be chosen by matching."
    // Templates and conditions
    TemplateSyntax "template-syntax" Error "A template cannot be parsed."
    TemplateRefused "template-refused" Error "A template uses a construct that this dialect does not have."
    TemplateLimit "template-limit" Error "A template is nested too deeply, or its text is too large."
    PlaceholderUnknown "placeholder-unknown" Warning "A template names a placeholder that no pack defines; a host may give it."
    HelperUnknown "helper-unknown" Error "A template calls a helper that does not exist."
    ConditionSyntax "condition-syntax" Error "A condition is not CEL."
    ConditionLimit "condition-limit" Error "A condition is too long, nested too deeply, or has more than one comprehension."
    ConditionName "condition-name" Error "A condition names a value or a function that does not exist."
    PatternSyntax "pattern-syntax" Error "A glob or a regular expression does not compile, or is over the limits."
    // Words of prompts
    ToolAbsent "tool-absent" Warning "A text names a tool that nothing has, or that a variant which prints it does not offer."
    PlaceholderLiteral "placeholder-literal" Warning "A placeholder stands where it is not filled, and is printed with its braces."
    SkillAbsent "skill-absent" Warning "A text names a skill that is not there."
    FileAbsent "file-absent" Warning "A text names a file of a pack that does not exist."
    // Trust
    ProjectPackUntrusted "project-pack-untrusted" Warning "A project has a pack that is not loaded until its folder is trusted."
    // Extensions
    ExtensionConflict "extension-conflict" Warning "Two extensions or items have the same name, and the later one counts; or a helper has a name that is taken, and is left out."
    ExtensionFailed "extension-failed" Warning "An extension, or an item of one, cannot be used and is left out."
    // Plugins
    PluginManifest "plugin-manifest" Error "The manifest of a plugin has a mistake."
    PluginMissing "plugin-missing" Error "A plugin that was named is not there, or has no library for this machine."
    PluginUntrusted "plugin-untrusted" Warning "A plugin is not trusted and was not loaded."
    PluginChanged "plugin-changed" Warning "The files of a plugin are not those that were trusted; it was not loaded."
    PluginRefused "plugin-refused" Error "A plugin's library, table or data breaks the contract; it was not loaded."
    PluginOff "plugin-off" Warning "Plugins are there but cannot run."
    PluginConfig "plugin-config" Warning "A plugin is given a configuration that it does not take."
    PluginReport "plugin-report" Warning "The code of a plugin reported something."
    // Building
    ContextInvalid "context-invalid" Error "The context is not one JSON object, or is nested too deeply; there is no prompt."
    ContextType "context-type" Warning "A known key of the context has the wrong type and counts as absent."
    ContextMissing "context-missing" Warning "A context key that a pack declares as required is absent."
    ProbeFailed "probe-failed" Warning "A probe failed; its context key stays absent."
    MatcherFailed "matcher-failed" Warning "A matcher failed, which counts as a no."
    ConditionFailed "condition-failed" Warning "A condition failed while it ran, which counts as false."
    LabelFallback "label-fallback" Note "The version that was asked for does not exist; the current one was used."
    ComponentFailed "component-failed" Warning "A component failed; its section is missing."
    HelperFailed "helper-failed" Warning "A helper failed; it printed nothing."
    InputUndeclared "input-undeclared" Warning "Code reads a context key that it does not declare; it gets nothing."
    PlaceholderMissing "placeholder-missing" Warning "A placeholder is printed that nothing defines in this build."
    ValueMissing "value-missing" Note "A component prints a context value that is absent."
    SectionTooLarge "section-too-large" Warning "A section, or a whole prompt, is over the size limit; the section is missing."
    ClassWider "class-wider" Warning "A component reads something that changes more often than its `cache` says."
    BoundaryBroken "boundary-broken" Warning "Something before the cache boundary is not static."
    VolatileEarly "volatile-early" Note "A variant prints something volatile before something static, which is billed again with it."
    HeadSplit "head-split" Note "The static head of a variant reads a value that the model does not decide: each value has a prefix of its own."
    HeadShort "head-short" Note "The static head of a variant is shorter than what a model that it names caches."
    ClockMissing "clock-missing" Note "A template prints the date, and the context does not give it."
    TidyVerbatim "tidy-verbatim" Warning "Classic tidying would change text that is meant to stay as it is."
    MinimalMissing "minimal-missing" Warning "A minimal request met a variant without a `minimal` line; its whole prompt was built."
    BudgetExceeded "budget-exceeded" Warning "A prompt is over its budget though every section went that could go."
    // Sessions
    SessionRecomputed "session-recomputed" Note "A context key changed within a session; a section was computed anew, and what stands behind it is billed again."
    SessionFileChanged "session-file-changed" Note "A file that a section was made of has changed within a session; the change waits for the reset."
    SessionStale "session-stale" Note "A probe finds something else than the session goes on with until it is reset."
    SessionOutdated "session-outdated" Note "A session goes on with the packs that it began with, though others are loaded now."
    // Tools
    ToolUndescribed "tool-undescribed" Note "A tool is offered by name alone; it is left out of texts and declarations."
    ToolDuplicate "tool-duplicate" Note "The context describes a tool twice; the first description counts."
    ToolsInText "tools-in-text" Note "No tool is declared: the variant has tools called in text, or not at all."
    ToolRenamed "tool-renamed" Note "A tool's name was changed to what the provider accepts."
    ToolRefused "tool-refused" Warning "A tool cannot be declared to this provider and is left out."
    SchemaChanged "schema-changed" Note "A part of a tool's schema that the provider does not accept was changed or left out."
    RoleUnknown "role-unknown" Warning "A template asks for a tool by a role that none has."
    // Delivery
    ModelUnknown "model-unknown" Note "A model is not in the model data; the facts of its family or provider are used."
    CacheMinimum "cache-minimum" Warning "A prefix that is meant to be cached is shorter than what the model caches."
    MarksFull "marks-full" Note "A prefix end has no cache mark, since one request may hold four."
    MarksOver "marks-over" Warning "The host sets more cache marks than one request may hold."
    TtlLowered "ttl-lowered" Note "The life of cache entries that was asked for cannot be had; the default is used."
    GlobalRefused "global-refused" Note "Global caching was asked for, and this request cannot have it."
    AttributionDropped "attribution-dropped" Note "The attribution block was left out: only Anthropic's own API takes it out of the prompt."
}
