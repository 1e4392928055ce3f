//! Random replies that are full of tags, look-alikes and odd white space.

use super::Random;

/// Pieces of XML replies; names are short, so that they meet often.
pub const XML: &[&str] = &[
    "<a>", "</a>", "<b>", "</b>", "<write_to_file>", "</write_to_file>", "<p>", "</p>", "<q>", "</q>", "<content>",
    "</content>", "<path>", "</path>", "<x>", "</x>", "<", ">", "</", "<a", "a>", "<p >", "</p >", "<a >", "\n", "\n\n",
    " ", "\r\n", "text", "é", "🚀", "\u{feff}", "\u{85}", "\u{a0}", "\u{3000}", "`", "``", "```", "```\n", "\n```xml\n",
    "~~~\n", "<think>", "</think>", "<thinking>", "\n<think>\n", "</thinking>", "<p>1</p>", "<a>\n<p>1</p>\n</a>",
    "<a>\n<content>\nbody\n</content>\n</a>\n", "</content>\n</a>", "</content>\n<p>", "</content> and", "i < 3 && j > 4",
];

/// Pieces of replies in the other dialects.
pub const DIALECTS: &[&str] = &[
    "<function_calls>", "</function_calls>", "<invoke name=\"a\">", "</invoke>", "<parameter name=\"p\">",
    "<parameter name='content'>", "</parameter>", "<tool_call>", "</tool_call>", "<function=a>", "</function>",
    "<parameter=p>", "<parameter=p=1", "\n{\"name\": \"a\", \"arguments\": {\"p\": \"1\"}}\n", "{\"name\": \"a\"",
    "{\"arguments\": {\"p\": [1, {\"q\": \"</tool_call>\"}]}, \"name\": \"a\"}", "\"arguments\": {", "\"p\": \"x\\n\\ud83d\\ude80\"",
    "\\", "\\u00e9", "\"", "{", "}", "[", "]", ",", ":", "a\n<arg_key>p</arg_key>\n<arg_value>1</arg_value>", "<arg_value>",
    "[TOOL_CALLS]", "[TOOL_CALLS]a{\"p\": 1}", "[ARGS]", "[{\"name\": \"a\", \"arguments\": {}}, {\"name\": \"b\", \"arguments\": {}}]",
    "<|python_tag|>", "a.call(p=\"x\")", "[a(p=1, q='two'), b()]", "<|eom_id|>", "<｜tool▁calls▁begin｜>",
    "<｜tool▁call▁begin｜>function<｜tool▁sep｜>a\n```json\n{\"p\": 1}\n```<｜tool▁call▁end｜>", "<｜tool▁calls▁end｜>",
    "<|tool_calls_section_begin|>", "<|tool_call_begin|>functions.a:0<|tool_call_argument_begin|>{\"p\": 1}<|tool_call_end|>",
    "<|channel|>analysis<|message|>", "<|end|>", "<|start|>assistant", "<|channel|>final<|message|>",
    "<|channel|>commentary to=functions.a <|constrain|>json<|message|>{\"p\":1}<|call|>", "<|START_ACTION|>", "<|END_ACTION|>",
    "[{\"tool_name\": \"a\", \"parameters\": {\"p\": 1}}]", "◁think▷", "◁/think▷", "[THINK]", "[/THINK]", "\n", " ", "text",
    "<｜DSML｜invoke name=\"a\">", "<｜DSML｜parameter name=\"p\" string=\"false\">", "</｜DSML｜parameter>", "</｜DSML｜invoke>",
    "<a>", "<p>1</p>", "</a>", "`", "\n```\n", "<think>", "</think>", "é", "🚀",
];

/// Some pieces of a list, one after the other.
pub fn soup(words: &[&str], random: &mut Random, most: usize) -> String {
    let count = random.below(most) + 1;
    (0..count).map(|_| words[random.below(words.len())]).collect()
}
