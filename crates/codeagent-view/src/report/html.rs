//! Writes HTML in which everything that comes from the repository is text.

use std::fmt::Display;

/// A document that is being written.
#[derive(Debug, Default)]
pub struct Html(String);

/// What a page may load and do: nothing but its own style.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

impl Html {
    /// Returns the whole page.
    pub fn page(self, title: &str, style: &str) -> String {
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>{}</title>\n<style>\n{style}</style>\n</head>\n<body>\n<main>\n{}</main>\n</body>\n</html>\n",
            escaped(title),
            self.0
        )
    }

    /// Writes an element with a text.
    pub fn element(&mut self, name: &str, text: impl Display) {
        let text = escaped(&text.to_string());
        self.0 += &format!("<{name}>{text}</{name}>\n");
    }

    /// Writes a heading with a number.
    pub fn heading(&mut self, text: &str, count: usize) {
        let text = escaped(text);
        self.0 += &format!("<h2>{text} <span class=\"count\">{count}</span></h2>\n");
    }

    /// Writes a list: the first `max` rows and the number of the others. A row is a text with a
    /// quieter one after it.
    pub fn list(&mut self, rows: &[(String, String)], max: usize) {
        self.0 += "<ul class=\"rows\">\n";
        for (text, quiet) in rows.iter().take(max) {
            let (text, quiet) = (escaped(text), escaped(quiet));
            self.0 += &format!("<li>{text} <span class=\"quiet\">{quiet}</span></li>\n");
        }
        if rows.len() > max {
            let more = rows.len() - max;
            self.0 += &format!("<li class=\"quiet\">and {more} more</li>\n");
        }
        self.0 += "</ul>\n";
    }

    /// Writes a table: a heading for each column, and rows that begin with a name.
    pub fn table(&mut self, headings: &[&str], rows: &[Vec<String>]) {
        self.0 += "<div class=\"scroll\"><table class=\"health\">\n<thead><tr>";
        for heading in headings {
            self.0 += &format!("<th scope=\"col\">{}</th>", escaped(heading));
        }
        self.0 += "</tr></thead>\n<tbody>\n";
        for row in rows {
            self.0 += "<tr>";
            for (index, cell) in row.iter().enumerate() {
                let name = if index == 0 { "th scope=\"row\"" } else { "td" };
                let end = if index == 0 { "th" } else { "td" };
                self.0 += &format!("<{name}>{}</{end}>", escaped(cell));
            }
            self.0 += "</tr>\n";
        }
        self.0 += "</tbody></table></div>\n";
    }
}

/// Writes a text so that it is one in an element and in an attribute.
fn escaped(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => written += "&amp;",
            '<' => written += "&lt;",
            '>' => written += "&gt;",
            '"' => written += "&quot;",
            '\'' => written += "&#39;",
            c => written.push(c),
        }
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_the_repository_are_escaped_everywhere() {
        let hostile = "<img src=x onerror=\"a('b')\">&";
        let mut html = Html::default();
        html.element("p", hostile);
        html.heading(hostile, 1);
        html.list(&[(hostile.to_owned(), hostile.to_owned())], 5);
        html.table(&[hostile], &[vec![hostile.to_owned(), hostile.to_owned()]]);
        let page = html.page(hostile, "");
        assert!(!page.contains("<img"), "{page}");
        let written = "&lt;img src=x onerror=&quot;a(&#39;b&#39;)&quot;&gt;&amp;";
        assert_eq!(page.matches(written).count(), 8);
    }

    #[test]
    fn long_lists_say_how_many_rows_are_missing() {
        let rows = vec![("a".to_owned(), String::new()); 5];
        let mut html = Html::default();
        html.list(&rows, 2);
        assert!(html.page("", "").contains("and 3 more"));
    }
}
