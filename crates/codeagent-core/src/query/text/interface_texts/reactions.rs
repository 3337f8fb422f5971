//! Handlers that run when a user acts on a text: those of the elements around it.
//!
//! A handler is an attribute or property with a function, such as `onClick={save}`, an argument beside the
//! text, an event of the control that gets the text, or an attribute of markup that names a method or command.
//! In markup, a text without one has those of the elements beside it: a label those of its switch.
//!
//! Limitations: an element around other texts, too, counts only near the text, and a form only for what
//! submits it.

use std::ops::Range;

use codeagent_lang::surroundings::{Around, AroundKind, Part, collapsed};

use super::actions::{actions_named, handlers_of_page};
use super::component_props::{
    functions_named, handlers_given, is_prop, only_function, procedures_named, wrapped_functions,
};
use super::injected::injected_calls;
use super::opened::opened;
use super::search::{ending, read};
use super::targets::{flows, functions_in};
use super::{TextPlace, markup};
use crate::model::dispatch::DispatchKind;
use crate::model::graph::{Dialect, Node, NodeType};
use crate::query::dispatch::object_keys::is_of_name;
use crate::query::dispatch::routes::routes_of;
use crate::query::text::razor::is_razor;
use crate::query::{Occurrences, QueryError, functions_of_name, is_compound};
use crate::store;

/// Number of elements around a text that may react although they show other texts.
const NEAR: usize = 2;

/// Maximum number of elements around a text that may react.
const MAX_ELEMENTS: usize = 3;

/// Number of elements around a text in which those beside it are looked for, and their maximum number.
const MAX_ROWS: usize = 4;
const MAX_BESIDE: usize = 3;

/// Maximum number of lines of a handler that are shown.
const MAX_LINES: usize = 12;

/// Attributes that bind a control to a value.
const BINDINGS: [&str; 8] = [
    "[(ngModel)]",
    "@bind",
    "@bind-Value",
    "[formControl]",
    "asp-for",
    "bind:value",
    "formControlName",
    "v-model",
];

/// Attributes with a condition under which an element is shown or can be used.
const CONDITIONS: [&str; 8] = [
    "*ngIf",
    ":disabled",
    "[disabled]",
    "[hidden]",
    "v-else-if",
    "v-if",
    "v-show",
    "x-show",
];

/// Attributes that lead to another page.
const LINKS: [&str; 9] = [
    "action",
    "asp-action",
    "asp-page",
    "asp-page-handler",
    "formAction",
    "href",
    "routerLink",
    "to",
    "NavigateUri",
];

/// Returns the handlers around a text with their calls, as a tree of lines; empty if there are none.
pub fn reactions(
    occurrences: &mut Occurrences<'_, '_>,
    place: &TextPlace,
) -> Result<Vec<String>, QueryError> {
    let path = place.at.path.as_str();
    let Some(text) = read(occurrences, path)? else {
        return Ok(Vec::new());
    };
    let file = File::new(path, &text);

    let (mut elements, mut submits) = (0, false);
    for around in without_window(place) {
        let is_element = around.kind == AroundKind::Element;
        if is_element {
            elements += 1;
            submits |= file.submits(around);
        }
        let is_far = elements > MAX_ELEMENTS || around.has_other_texts && elements > NEAR;
        let of_form = |part: &&Part| match is_element && is_submit(&part.name) {
            true => submits,
            false => !is_far || !is_element && elements == 0,
        };

        // Code that has the text in it does not run because of it, nor do the arguments of `a("text").b(..)`.
        let own = place.around.text.as_deref().unwrap_or_default();
        let may_have_text = !is_element && !own.is_empty();
        let has_text = |part: &&Part| collapsed(file.at(&part.span)).contains(own);
        if may_have_text
            && around.kind == AroundKind::Call
            && !around.parts.iter().any(|part| has_text(&part))
        {
            continue;
        }
        let parts = around.parts.iter().filter(of_form);
        let parts: Vec<&Part> = parts
            .filter(|part| !may_have_text || !has_text(part))
            .collect();
        let lines = file.reactions_of(occurrences, around, &parts)?;
        if !lines.is_empty() {
            return Ok(lines);
        }
    }
    Ok(Vec::new())
}

/// Returns the file around a text; `None` if it is source rather than markup, or cannot be read.
fn markup_around(
    occurrences: &Occurrences<'_, '_>,
    place: &TextPlace,
) -> Result<Option<String>, QueryError> {
    let path = place.at.path.as_str();
    if Dialect::of_path(path).is_some() {
        return Ok(None);
    }
    read(occurrences, path)
}

/// Returns the handlers of the few elements of markup beside a text with their calls, as a tree of lines.
pub fn reactions_beside(
    occurrences: &mut Occurrences<'_, '_>,
    place: &TextPlace,
) -> Result<Vec<String>, QueryError> {
    let Some(text) = markup_around(occurrences, place)? else {
        return Ok(Vec::new());
    };
    let file = File::new(&place.at.path, &text);
    file.beside(occurrences, without_window(place))
}

/// Returns the conditions under which the elements around a text of markup are shown, with the values of the file that
/// they name: `v-if="hasNews"`.
pub fn conditions(
    occurrences: &Occurrences<'_, '_>,
    place: &TextPlace,
) -> Result<Vec<String>, QueryError> {
    let Some(text) = markup_around(occurrences, place)? else {
        return Ok(Vec::new());
    };

    let file = File::new(&place.at.path, &text);
    let mut lines = Vec::new();
    for element in without_window(place) {
        let parts = element.parts.iter();
        for part in parts.filter(|part| CONDITIONS.contains(&part.name.as_str())) {
            lines.extend(file.numbered(&part.span));
            let value = markup::value(file.at(&part.span)).unwrap_or_default();
            let declared = file.declared_here(value);
            lines.extend(declared.into_iter().map(|line| format!("  {line}")));
        }
    }
    Ok(lines)
}

/// Returns the names of the values to which the few controls around or beside a text of markup are bound:
/// `total` of `formControlName="total"` and `[(ngModel)]="cart.total"`.
pub fn bound_names(
    occurrences: &Occurrences<'_, '_>,
    place: &TextPlace,
) -> Result<Vec<String>, QueryError> {
    let Some(text) = markup_around(occurrences, place)? else {
        return Ok(Vec::new());
    };

    for row in without_window(place).iter().take(MAX_ROWS) {
        let mut elements = vec![row.clone()];
        if !markup::has_no_content(text.get(row.span.clone()).unwrap_or_default()) {
            elements.extend(markup::elements_within(&text, row.span.end));
        }

        let mut found: Vec<String> = Vec::new();
        for part in elements.iter().flat_map(|element| &element.parts) {
            if !BINDINGS.contains(&part.name.as_str()) {
                continue;
            }
            let value = markup::value(text.get(part.span.clone()).unwrap_or_default());
            let name = value.and_then(|value| names(value).last());
            let is_new = |name: &&str| found.iter().all(|known| known != name);
            found.extend(name.filter(is_new).map(str::to_owned));
        }

        match found.len() {
            0 => {}
            1..=MAX_BESIDE => return Ok(found),
            _ => break,
        }
    }
    Ok(Vec::new())
}

/// Returns what is around a text, without the window of XAML, whose events have nothing to do with it.
fn without_window(place: &TextPlace) -> &[Around] {
    let around = place.around.around.as_slice();
    let is_xaml = ending(&place.at.path).ends_with("aml");
    &around[..around.len().saturating_sub(usize::from(is_xaml))]
}

fn is_submit(name: &str) -> bool {
    let name = name.to_lowercase();
    name.contains("submit") || name == "action" || name.starts_with("asp-")
}

/// A file with a text.
#[derive(Clone, Copy)]
pub(super) struct File<'t> {
    pub path: &'t str,
    pub text: &'t str,
    /// Whether what a handler opens is followed.
    pub follows_opened: bool,
}

impl<'t> File<'t> {
    pub fn new(path: &'t str, text: &'t str) -> Self {
        Self {
            path,
            text,
            follows_opened: true,
        }
    }
}

impl File<'_> {
    pub fn at(&self, span: &Range<usize>) -> &str {
        self.text.get(span.clone()).unwrap_or_default()
    }

    pub fn line(&self, offset: usize) -> usize {
        let before = self.text.get(..offset).unwrap_or_default();
        before.matches('\n').count() + 1
    }

    /// Reports whether an element submits the form around it, as buttons of HTML do without a type.
    fn submits(&self, element: &Around) -> bool {
        let mut parts = element.parts.iter();
        match parts.find(|part| part.name == "type") {
            Some(part) => self.at(&part.span).contains("submit"),
            None => element.name.eq_ignore_ascii_case("button"),
        }
    }

    /// Returns the source of some bytes with its first line number.
    pub fn numbered(&self, span: &Range<usize>) -> Vec<String> {
        let first = self.line(span.start);
        let lines: Vec<&str> = self.at(span).lines().collect();
        let last = lines.len().min(MAX_LINES);
        let mut shown: Vec<String> = lines[..last]
            .iter()
            .enumerate()
            .map(|(at, line)| format!("{} {}", first + at, line.trim()))
            .collect();
        if lines.len() > last {
            shown.push(format!("and {} more lines", lines.len() - last));
        }
        shown
    }

    /// Returns what some attributes, properties or arguments around a text run.
    pub fn reactions_of(
        self,
        occurrences: &mut Occurrences<'_, '_>,
        around: &Around,
        parts: &[&Part],
    ) -> Result<Vec<String>, QueryError> {
        if Dialect::of_path(self.path).is_none() {
            return self.of_markup(occurrences, around, parts);
        }
        if around.kind == AroundKind::Assignment {
            return self.of_control(occurrences, around);
        }

        let mut lines = Vec::new();
        for part in parts {
            let source = self.at(&part.span);
            let functions = functions_in(occurrences, self.path, &value_of(part))?;
            let is_handler = match around.kind {
                AroundKind::Element => is_event(&part.name) || LINKS.contains(&&*part.name),
                _ => false,
            };
            let is_code = is_code(source);
            let names_function = functions.iter().any(|node| is_named_in(node, source));
            let is_reaction = is_handler || is_code || names_function && is_reference(source);
            if !is_reaction {
                continue;
            }
            lines.extend(self.numbered(&part.span));
            let mut inner = flows(occurrences, &functions)?;
            if functions.is_empty() {
                inner = procedures_named(occurrences, self.text, source)?;
            }
            if functions.is_empty() && inner.is_empty() {
                inner = wrapped_functions(occurrences, (self.path, self.text), source)?;
            }
            if functions.is_empty() && inner.is_empty() && is_code && self.follows_opened {
                inner = opened(occurrences, self, source)?;
            }
            if functions.is_empty()
                && inner.is_empty()
                && let Some(prop) = is_prop(source)
            {
                let at = (self.path, self.line(part.span.start));
                inner = handlers_given(occurrences, at, prop)?;
                if inner.is_empty() {
                    inner = only_function(occurrences, prop)?;
                }
            }
            lines.extend(inner.into_iter().map(|line| format!("  {line}")));
        }
        Ok(lines)
    }

    /// Returns what runs on the events of the control that an assignment gives a text, or that it subscribes to.
    fn of_control(
        self,
        occurrences: &mut Occurrences<'_, '_>,
        around: &Around,
    ) -> Result<Vec<String>, QueryError> {
        let control = match around.name.rsplit_once('.') {
            Some((control, _)) => control,
            None => around.name.as_str(),
        };
        let own = control.strip_prefix("this.").unwrap_or(control);

        let mut lines = Vec::new();
        let mut start = 0;
        for line in self.text.split_inclusive('\n') {
            let span = start..start + line.len();
            start = span.end;
            if subscribes(line, own) {
                let functions = functions_in(occurrences, self.path, &span)?;
                lines.extend(self.numbered(&span));
                let inner = flows(occurrences, &functions)?;
                lines.extend(inner.into_iter().map(|line| format!("  {line}")));
            }
        }

        Ok(lines)
    }

    /// Returns what the attributes of an element of markup run.
    fn of_markup(
        self,
        occurrences: &mut Occurrences<'_, '_>,
        around: &Around,
        parts: &[&Part],
    ) -> Result<Vec<String>, QueryError> {
        let mut lines = Vec::new();
        for part in parts {
            let value = markup::value(self.at(&part.span)).unwrap_or_default();
            let is_link = LINKS.contains(&part.name.as_str()) && around.name != "svg";
            // `#` and `javascript:void(0)` lead nowhere.
            if is_link && value != "#" && !value.starts_with("javascript:") {
                lines.extend(self.numbered(&part.span));
                lines.extend(shown_at(occurrences, value)?);
                let actions = self.actions_of(occurrences, around, (&part.name, value))?;
                let inner = flows(occurrences, &actions)?;
                lines.extend(inner.into_iter().map(|line| format!("  {line}")));
            }
            let is_xaml = ending(self.path).ends_with("aml");
            let is_command = is_xaml && value.starts_with('{') && part.name.contains("Command");
            let is_event = match is_xaml {
                true => is_command || value.chars().all(is_of_name) && !value.is_empty(),
                false => is_event_of_markup(&part.name, self.path),
            };
            if !is_event {
                continue;
            }

            let mut functions =
                functions_named(occurrences, (self.path, self.text), (value, is_command))?;
            let here = if is_xaml {
                Vec::new()
            } else {
                self.declared_here(value)
            };
            if is_razor(self.path) {
                let code = format!("{value}\n{}", here.join("\n"));
                let snapshot = occurrences.sources.snapshot();
                functions.extend(injected_calls(snapshot, self.text, &code)?);
            }
            if is_xaml && !is_command && functions.is_empty() {
                continue;
            }
            lines.extend(self.numbered(&part.span));
            let called = match functions.is_empty() {
                true => called_by_name(occurrences, &here)?,
                false => Vec::new(),
            };
            lines.extend(here.into_iter().map(|line| format!("  {line}")));
            if !called.is_empty() {
                lines.push("  possibly runs, matched by the name of a call:".to_owned());
            }
            let inner = flows(occurrences, &[functions, called].concat())?;
            lines.extend(inner.into_iter().map(|line| format!("  {line}")));
        }
        Ok(lines)
    }

    /// Returns the actions that an attribute of a Razor view names.
    fn actions_of(
        self,
        occurrences: &Occurrences<'_, '_>,
        element: &Around,
        (attribute, value): (&str, &str),
    ) -> Result<Vec<Node>, QueryError> {
        let mut parts = element.parts.iter();
        let controller = parts.find(|part| part.name == "asp-controller");
        let controller = controller.and_then(|part| markup::value(self.at(&part.span)));
        match attribute {
            "asp-action" => actions_named(occurrences, self.path, (value, controller)),
            "asp-page-handler" => handlers_of_page(occurrences, self.path, value),
            _ => Ok(Vec::new()),
        }
    }

    /// Returns what the few elements beside a text run, in the innermost element around it that has any.
    fn beside(
        self,
        occurrences: &mut Occurrences<'_, '_>,
        around: &[Around],
    ) -> Result<Vec<String>, QueryError> {
        let has_content = |row: &&Around| !markup::has_no_content(self.at(&row.span));

        for row in around.iter().take(MAX_ROWS).filter(has_content) {
            let mut lines = Vec::new();
            let mut count = 0;
            for element in markup::elements_within(self.text, row.span.end) {
                let is_event = |part: &&Part| !LINKS.contains(&part.name.as_str());
                let parts: Vec<&Part> = element.parts.iter().filter(is_event).collect();
                let inner = self.of_markup(occurrences, &element, &parts)?;
                if inner.is_empty() {
                    continue;
                }
                count += 1;
                lines.push(format!("<{}> beside it", element.name));
                lines.extend(inner.into_iter().map(|line| format!("  {line}")));
            }

            match count {
                0 => {}
                1..=MAX_BESIDE => return Ok(lines),
                _ => break,
            }
        }
        Ok(Vec::new())
    }

    /// Returns the first lines of the functions of this file that the value of an attribute names, because code
    /// in markup is not indexed.
    fn declared_here(self, value: &str) -> Vec<String> {
        let mut lines = Vec::new();
        for name in names(value) {
            let declared = self.text.match_indices(name).map(|(at, _)| at).find(|at| {
                let line = self.text[..*at].rsplit('\n').next().unwrap_or_default();
                let rest = &self.text[at + name.len()..];
                is_declaration(line, rest)
            });
            if let Some(at) = declared {
                let start = self.text[..at].rfind('\n').map_or(0, |at| at + 1);
                lines.extend(self.numbered(&(start..block_end(self.text, at))));
            }
        }
        lines
    }
}

/// Returns the few functions with the names of the members that some lines of a script call, because its code is not
/// indexed: `client.rpc.updateCart()`.
fn called_by_name(
    occurrences: &Occurrences<'_, '_>,
    lines: &[String],
) -> Result<Vec<Node>, QueryError> {
    let snapshot = occurrences.sources.snapshot();
    let mut found: Vec<Node> = Vec::new();

    for line in lines {
        let calls = line.match_indices('(').filter_map(|(at, _)| {
            let before = &line[..at];
            let start = before.rfind(|c: char| !is_of_name(c)).map(|at| at + 1)?;
            before[..start].ends_with('.').then(|| &before[start..])
        });
        for name in calls.filter(|name| is_compound(name)) {
            for function in functions_of_name(snapshot, name)? {
                if found.iter().all(|known| known.id != function.id) {
                    found.push(function);
                }
            }
        }
    }

    Ok(found)
}

/// Reports whether a part has a function that does something, other than to render or to make an object:
/// `() => <b>..</b>`, `() => ({ .. })`.
fn is_code(source: &str) -> bool {
    let has_function = source.contains("=>") || source.contains("function");
    let value = source
        .split_once("=>")
        .map_or("", |(_, value)| value.trim_start());
    let inner = value.strip_prefix('(').map(str::trim_start);
    let makes = inner.is_some_and(|inner| inner.starts_with('{'));
    let is_open = |c: char| c == '(' || c.is_whitespace();
    let is_element = |text: &str| text.trim_start_matches(is_open).starts_with('<');
    let renders = is_element(value) || source.split("return ").skip(1).any(is_element);
    has_function && !makes && !renders
}

/// Returns a line for each component that is shown at the path of a link.
fn shown_at(occurrences: &mut Occurrences<'_, '_>, path: &str) -> Result<Vec<String>, QueryError> {
    let snapshot = occurrences.sources.snapshot();
    let mut lines = Vec::new();
    if !path.starts_with('/') || path.len() < 2 {
        return Ok(lines);
    }

    for route in routes_of(snapshot, path.trim_end_matches('/'))? {
        let target = route.to.map_or(Ok(None), |id| store::node(snapshot, id))?;
        let is_shown = |node: &Node| {
            let is_component = node.node_type.is_type() || node.node_type == NodeType::Component;
            route.kind == DispatchKind::Shows && route.rest.is_empty() && is_component
        };
        let Some(target) = target.filter(is_shown) else {
            continue;
        };

        let place = target.spans.first().map_or_else(String::new, |span| {
            format!("{}:{}", span.path, span.name_line)
        });
        lines.push(format!(
            "  shows {}  {place}",
            occurrences.short_name(&target)?
        ));
    }

    Ok(lines)
}

/// Returns the bytes of the value of an attribute or property, which may be its name: `{ save }`.
pub(super) fn value_of(part: &Part) -> Range<usize> {
    let start = part.span.start + part.name.len();
    match start < part.span.end {
        true => start..part.span.end,
        false => part.span.clone(),
    }
}

/// Returns the names in a text.
pub(super) fn names(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split(|c| !is_of_name(c));
    parts.filter(|part| part.starts_with(|c: char| c.is_alphabetic() || c == '_'))
}

/// Reports whether a function is declared between the beginning of a line and a text.
fn is_declaration(line: &str, rest: &str) -> bool {
    let line = line.trim();
    let words = || line.split_whitespace();
    let is_clean = words().all(|word| word.chars().all(|c| is_of_name(c) || "<>?[],".contains(c)));
    let is_value = line.ends_with("const") || line.ends_with("let") || line.ends_with("function");
    // `save() {` of an object is a method as well.
    let has_body = || {
        let head = rest.lines().next().unwrap_or_default().trim_end();
        head.ends_with('{') && !head.contains("=>")
    };
    let is_method = rest.starts_with('(')
        && (!line.is_empty() && !line.ends_with("return") || line.is_empty() && has_body());
    let is_await = words().any(|word| word == "await" || word == "new");
    is_clean && !is_await && (is_value || is_method)
}

/// Returns the end of the block that begins behind an offset.
pub(super) fn block_end(text: &str, from: usize) -> usize {
    let mut depth = 0_usize;
    for (at, c) in text[from..].char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth <= 1 => return from + at + 1,
            '}' => depth -= 1,
            ';' if depth == 0 => return from + at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Reports whether an attribute has the name of an event: `onClick`, `on:click`, `onclick`.
pub(super) fn is_event(name: &str) -> bool {
    let rest = name.strip_prefix("on").or_else(|| name.strip_prefix("On"));
    let is_word = ["", "ce", "e", "line", "ly"];
    rest.is_some_and(|rest| !is_word.contains(&rest))
}

/// Reports whether an attribute of markup is one of an event: `(click)` of Angular, `@click` and `v-on:click` of
/// Vue and Alpine, `@onclick` of Razor.
fn is_event_of_markup(name: &str, path: &str) -> bool {
    let is_razor = ["cshtml", "razor", "vbhtml"].contains(&ending(path).as_str());
    let is_of_script = name.starts_with("v-on:") || name.starts_with("x-on:");
    is_of_script
        || name.starts_with('(') && name.ends_with(')')
        || name.starts_with('@') && !is_razor
        || is_event(name.trim_start_matches('@'))
}

/// Reports whether an argument or property names a function instead of calling it.
fn is_reference(source: &str) -> bool {
    let value = source.rsplit(['=', ':']).next().unwrap_or_default();
    let value = value.trim().trim_matches(['{', '}']);
    let is_path = |c: char| is_of_name(c) || c == '.';
    let value = value.strip_prefix("new ").unwrap_or(value);
    value
        .trim_end_matches(')')
        .split('(')
        .all(|part| part.chars().all(is_path))
        && !source.contains("nameof")
}

fn is_named_in(node: &Node, source: &str) -> bool {
    let mut names = names(source);
    names.any(|name| name == node.name) || source.contains("ommand")
}

/// Reports whether a line adds a handler to an event of a control: `save.Click += OnSave`.
fn subscribes(line: &str, control: &str) -> bool {
    line.match_indices(control).any(|(at, _)| {
        let rest = line[at + control.len()..].strip_prefix('.');
        let event = rest.and_then(|rest| rest.split_once(" += "));
        let is_start = !line[..at].ends_with(is_of_name);
        is_start && event.is_some_and(|(event, _)| event.chars().all(is_of_name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_control_has_handlers_on_its_events() {
        for (line, expected) in [
            ("this.save.Click += new EventHandler(this.Run);", true),
            ("save.Click += Run;", true),
            ("autosave.Click += Run;", false),
            ("save.Text += \"x\";", true),
            ("save.Items.Count += 1;", false),
            ("save.Text = \"x\";", false),
        ] {
            assert_eq!(subscribes(line, "save"), expected, "{line}");
        }
    }

    #[test]
    fn an_event_has_the_name_of_one() {
        let events = ["onClick", "on:click", "onclick", "OnClick"];
        assert!(events.into_iter().all(is_event));
        assert!(!["once", "Only", "on", "label"].into_iter().any(is_event));
        for (name, path, expected) in [
            ("(click)", "a.html", true),
            ("[disabled]", "a.html", false),
            ("[(ngModel)]", "a.html", false),
            ("@submit.prevent", "a.vue", true),
            ("v-on:click", "a.vue", true),
            (":to", "a.vue", false),
            ("@onclick", "a.razor", true),
            ("@bind", "a.razor", false),
        ] {
            assert_eq!(is_event_of_markup(name, path), expected, "{name}");
        }
    }

    #[test]
    fn code_does_something() {
        for (source, expected) in [
            ("run: () => save()", true),
            ("run: async () => {\n  save();\n}", true),
            ("cell: ({ row }) => <b>{row}</b>", false),
            ("cell: () => {\n return <b />;\n}", false),
            ("() => ({ title: 'a' })", false),
            ("() => { set(items => ({ ...items })); }", true),
            ("() => {\n  return (\n    <b />\n  );\n}", false),
            ("title: 'a'", false),
        ] {
            assert_eq!(is_code(source), expected, "{source}");
        }
    }

    #[test]
    fn a_reference_is_no_call() {
        for (source, expected) in [
            ("OnSave", true),
            ("click: this.save", true),
            ("new EventHandler(OnSave)", true),
            ("onSave={save}", true),
            ("save(1 + 2)", false),
            ("nameof(Save)", false),
        ] {
            assert_eq!(is_reference(source), expected, "{source}");
        }
    }

    #[test]
    fn functions_of_markup_are_found_by_their_declaration() {
        for (line, rest, expected) in [
            ("    private async Task ", "() {", true),
            ("function ", "(a) {", true),
            ("const ", " = () => {", true),
            ("<button @onclick=\"", "\">", false),
            ("  await ", "();", false),
            ("  return ", "();", false),
        ] {
            assert_eq!(is_declaration(line, rest), expected, "{line}");
        }
    }
}
