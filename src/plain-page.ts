/** Pages without scripts and styles, for addresses that people open outside of the board page. */

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** A text in HTML, also in an attribute in quotes. */
export const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (one) => ENTITIES[one] as string)

/**
 * A page with a text.
 * @param title of the page, and its heading
 * @param more HTML after the text
 */
export const plainPage = (title: string, text: string, more = '', language = 'en'): string => `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(text)}</p>
${more}
</main>
</body>
</html>
`
