/** The page at which the types of problems point: every code, with its status and what it means. */
import { type ErrorCode, errorCodes, factsOfError } from '../errors.ts'
import type { HttpResponse } from './exchange.ts'

const style =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:44rem;margin:2rem auto;padding:0 1rem}code{background:#8882;padding:.1em .3em}'

function inHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}

function sectionOf(code: ErrorCode): string {
  const { status, title, graphql, about } = factsOfError(code)
  const sentence = inHtml(about).replaceAll(/`([^`]+)`/g, '<code>$1</code>')
  return `<h2 id="${code}">${status} ${title}</h2>
<p>${sentence}</p>
<p>Code <code>${code}</code>, in GraphQL <code>${graphql}</code>.</p>`
}

/** Answers `GET /errors`. */
export function makeProblemPage(): () => HttpResponse {
  const sections = (Object.keys(errorCodes) as ErrorCode[]).map(sectionOf).join('\n')
  const body = `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Errors</title>
<style>${style}</style>
<h1>Errors</h1>
${sections}
</html>
`
  return () => ({
    status: 200,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
      'cache-control': 'no-cache',
    },
    body,
  })
}
