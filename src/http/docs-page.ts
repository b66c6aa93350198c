/** The page that shows the OpenAPI document: Swagger UI, as its package ships it, with a page and a start of our own. */
import { join } from 'node:path'
import { once } from '../once.ts'
import { type FixedContent, fixedFiles, fixedText } from './fixed-content.ts'
import { findWebBuild } from './web-build.ts'

const SCRIPT = 'text/javascript; charset=utf-8'
const STYLES = 'text/css; charset=utf-8'

/** The package's files that the page loads, which the build copies (scripts/build-web.ts). */
const TYPES = new Map([
  ['swagger-ui-bundle.js', SCRIPT],
  ['swagger-ui.css', STYLES],
  ['index.css', STYLES],
  ['favicon-32x32.png', 'image/png'],
  ['favicon-16x16.png', 'image/png'],
])

const START = 'swagger-initializer.js'

/** The page. @param files the relative URL of its files */
const pageFor = (files: string) => `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Phaseboard API</title>
<link rel="stylesheet" href="${files}/swagger-ui.css">
<link rel="stylesheet" href="${files}/index.css">
<link rel="icon" type="image/png" href="${files}/favicon-32x32.png" sizes="32x32">
<link rel="icon" type="image/png" href="${files}/favicon-16x16.png" sizes="16x16">
</head>
<body>
<div id="swagger-ui"></div>
<script src="${files}/swagger-ui-bundle.js"></script>
<script src="${files}/${START}"></script>
</body>
</html>
`

/** Relative to the script, so that the page works below a prefix, the host's or a proxy's. */
const STARTING = `SwaggerUIBundle({
  dom_id: '#swagger-ui',
  url: new URL('../../openapi.json', document.currentScript.src).href,
  deepLinking: true,
  validatorUrl: null,
})
`

/**
 * Creates the page.
 * @returns finds the content of a path after `/docs`, undefined if there is none: the page itself is at the empty path and, with other
 *   relative URLs, at the slash
 */
export function createDocsPage(): (path: string) => Promise<FixedContent | undefined> {
  const file = once(() => fixedFiles(join(findWebBuild(), 'docs')))
  const own = new Map([
    ['', once(() => fixedText('text/html', pageFor('./docs/static')))],
    ['/', once(() => fixedText('text/html', pageFor('./static')))],
    [`/static/${START}`, once(() => fixedText('text/javascript', STARTING))],
  ])
  return async (path) => {
    const made = own.get(path)
    if (made) return made()
    const name = path.replace('/static/', '')
    const type = TYPES.get(name)
    return type === undefined || path === name ? undefined : await file()(name, type)
  }
}
