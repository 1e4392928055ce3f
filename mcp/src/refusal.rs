//! Why a request has no result.
//!
//! In: what is wrong. Out: an error of the protocol, or a tool's own error. Never: the text of a prompt.

use std::fmt::Display;

use promptweave::{Diagnostic, Error, Origin};
use promptweave_inspect::{Misplaced, SpecsProblem};
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock, ErrorCode, MetaObject};
use serde_json::{Value as Json, json};

/// What went wrong, as tools tell it beside their text.
pub(crate) const PROBLEM: &str = "promptweave/problem";

/// Why a request has no result.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// What came is not JSON.
    NotJson(Fault),
    /// What came is no request, or one that is not taken at this time.
    Request(Fault),
    /// There is no such method.
    Method(Fault),
    /// The request says what it must not say: an error of the protocol.
    Arguments(Fault),
    /// The request is a good one, and nothing came of it: a tool says so in its result.
    Failed(Fault),
    /// The server itself failed.
    Broken(Fault),
}

/// What is wrong.
#[derive(Debug)]
pub(crate) struct Fault {
    /// A stable name for tools.
    code: &'static str,
    message: String,
    origin: Option<Json>,
    help: Option<String>,
}

impl Fault {
    fn new(code: &'static str, message: impl Display) -> Self {
        Self { code, message: message.to_string(), origin: None, help: None }
    }

    fn to_json(&self) -> Json {
        let mut json = json!({ "code": self.code, "message": self.message });
        if let Some(origin) = &self.origin {
            json["origin"] = origin.clone();
        }
        if let Some(help) = &self.help {
            json["help"] = json!(help);
        }
        json
    }
}

impl Refusal {
    /// What came is not JSON. The cause names a place, and no text.
    pub(crate) fn not_json(cause: impl Display) -> Self {
        let fault = Fault::new("not-json", format!("the message is not JSON: {cause}"));
        Self::NotJson(fault).help("send an object in UTF-8; on standard input, on one line")
    }

    /// What came is no request, or one that is not taken at this time.
    pub(crate) fn request(message: impl Display) -> Self {
        Self::Request(Fault::new("request-invalid", message))
    }

    /// There is no such method.
    pub(crate) fn method(name: &str) -> Self {
        Self::Method(Fault::new("method-unknown", format!("there is no method `{name}`")))
            .help("the answer to `initialize` says what there is")
    }

    /// The request says what it must not say.
    pub(crate) fn arguments(message: impl Display) -> Self {
        Self::Arguments(Fault::new("arguments-invalid", message))
    }

    /// What was asked for is not there.
    pub(crate) fn failed(code: &'static str, message: impl Display) -> Self {
        Self::Failed(Fault::new(code, message))
    }

    /// The server itself failed.
    pub(crate) fn broken() -> Self {
        Self::Broken(Fault::new("internal", "the server failed at this request"))
    }

    /// The same with what to do about it.
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        let (Self::NotJson(fault)
        | Self::Request(fault)
        | Self::Method(fault)
        | Self::Arguments(fault)
        | Self::Failed(fault)
        | Self::Broken(fault)) = &mut self;
        fault.help = Some(help.into());
        self
    }

    /// The first warning, where warnings are errors.
    pub(crate) fn of_warning(one: &Diagnostic) -> Self {
        let fault = Fault::new(one.code.as_str(), &one.message);
        let origin = Some(one.origin.to_json());
        Self::Failed(Fault { origin, help: one.help.clone(), ..fault })
    }

    /// As an error of the protocol: -32602 where a request asks for what cannot be, -32603 where the server is to blame.
    pub(crate) fn into_error(self) -> ErrorData {
        let (code, fault) = match self {
            Self::NotJson(fault) => (ErrorCode::PARSE_ERROR, fault),
            Self::Request(fault) => (ErrorCode::INVALID_REQUEST, fault),
            Self::Method(fault) => (ErrorCode::METHOD_NOT_FOUND, fault),
            Self::Arguments(fault) | Self::Failed(fault) => (ErrorCode::INVALID_PARAMS, fault),
            Self::Broken(fault) => (ErrorCode::INTERNAL_ERROR, fault),
        };
        let data = fault.to_json();
        ErrorData::new(code, fault.message, Some(data))
    }

    /// As a tool's result, where the request was a good one.
    pub(crate) fn into_result(self) -> Result<CallToolResult, ErrorData> {
        let Self::Failed(fault) = self else { return Err(self.into_error()) };
        let help = fault.help.iter().map(|help| format!("\nhelp: {help}"));
        let text = format!("{}: {}{}", fault.code, fault.message, help.collect::<String>());
        let mut meta = MetaObject::new();
        meta.0.insert(PROBLEM.into(), fault.to_json());
        Ok(CallToolResult::error(vec![ContentBlock::text(text)]).with_meta(Some(meta)))
    }
}

/// The engine has no prompt to give for what was asked.
impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        let origin = match error.origin() {
            Origin::Engine => None,
            origin => Some(origin.to_json()),
        };
        let help = error.help().map(str::to_owned);
        Self::Failed(Fault { origin, help, ..Fault::new(error.code(), &error) })
    }
}

/// A value has no place in the context.
impl From<Misplaced> for Refusal {
    fn from(error: Misplaced) -> Self {
        Self::arguments(error)
    }
}

impl From<SpecsProblem> for Refusal {
    fn from(error: SpecsProblem) -> Self {
        match error {
            SpecsProblem::NoVariant(_) => Self::failed("unknown-variant", error),
            SpecsProblem::NoTag(_) => Self::arguments(error),
        }
    }
}
