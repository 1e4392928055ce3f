// A session with a component of the host, whose exceptions cost their section and nothing else.
#include <functional>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>

#include "promptweave_engine.h"

namespace {

promptweave_str str(const std::string &text) { return {text.data(), text.size()}; }

std::string copy(promptweave_str text) { return text.ptr ? std::string(text.ptr, text.len) : std::string(); }

// An error of the library as an exception of C++.
void check(promptweave_error *error) {
    if (!error) return;
    std::string message = copy(promptweave_error_code(error)) + ": " + copy(promptweave_error_message(error));
    promptweave_error_free(error);
    throw std::runtime_error(message);
}

template <typename T> struct Free;
template <> struct Free<promptweave_engine> {
    void operator()(promptweave_engine *engine) const { promptweave_engine_free(engine); }
};
template <> struct Free<promptweave_component> {
    void operator()(promptweave_component *component) const { promptweave_component_free(component); }
};
template <> struct Free<promptweave_session> {
    void operator()(promptweave_session *session) const { promptweave_session_free(session); }
};
template <> struct Free<promptweave_prompt> {
    void operator()(promptweave_prompt *prompt) const { promptweave_prompt_free(prompt); }
};
template <typename T> using Owned = std::unique_ptr<T, Free<T>>;

using Component = std::function<std::string(const std::string &inputs)>;

// No exception may leave a call from the library.
extern "C" void call_component(void *data, promptweave_str inputs, promptweave_answer *answer) {
    try {
        promptweave_answer_text(answer, str((*static_cast<Component *>(data))(copy(inputs))));
    } catch (const std::exception &error) {
        promptweave_answer_error(answer, str(error.what()));
    } catch (...) {
        promptweave_answer_error(answer, str("no reason"));
    }
}

extern "C" void drop_component(void *data) { delete static_cast<Component *>(data); }

Owned<promptweave_component> component(const std::string &declared, Component run) {
    promptweave_component *made = nullptr;
    check(promptweave_component_new(str(declared), call_component, new Component(std::move(run)), drop_component, &made));
    return Owned<promptweave_component>(made);
}

const char *const OPTIONS = R"({"standard": false, "packs": [{"name": "acme", "files": {
    "pack.toml": "format = 1\nname = 'acme'\nversion = '1.0.0'",
    "generic.toml": "order = ['day', 'place', 'broken']",
    "components/day.md": "Today is {{date}}."}}]})";

void run() {
    int calls = 0;
    Owned<promptweave_component> place = component(
        R"({"id": "place", "reads": ["cwd"]})",
        [&calls](const std::string &inputs) { return "Call " + std::to_string(++calls) + " with " + inputs; });
    Owned<promptweave_component> broken = component(
        R"({"id": "broken", "reads": []})",
        [](const std::string &) -> std::string { throw std::runtime_error("no network"); });
    const promptweave_component *components[] = {place.get(), broken.get()};

    promptweave_engine *made = nullptr;
    check(promptweave_engine_new(str(OPTIONS), components, 2, &made));
    Owned<promptweave_engine> engine(made);
    promptweave_session *begun = nullptr;
    check(promptweave_session_new(engine.get(), str(R"({"date": "2026-01-15"})"), &begun));
    Owned<promptweave_session> session(begun);

    for (const char *context : {R"({"cwd": "/a"})", R"({"cwd": "/a"})", R"({"cwd": "/b"})"}) {
        promptweave_prompt *built = nullptr;
        check(promptweave_session_build(session.get(), str(context), {nullptr, 0}, &built));
        Owned<promptweave_prompt> prompt(built);
        promptweave_str text = {nullptr, 0};
        check(promptweave_prompt_text(prompt.get(), &text));
        std::cout << copy(text) << "\n--\n";
    }
    // An error as an exception.
    promptweave_prompt *none = nullptr;
    check(promptweave_session_build(session.get(), str("[]"), {nullptr, 0}, &none));
}

}  // namespace

int main() {
    try {
        run();
    } catch (const std::exception &error) {
        std::cout << error.what() << "\n";
    }
}
