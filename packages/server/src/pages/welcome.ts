/**
 * The page `/`: what the server offers, and links to start from, for a reader who is new to it. It
 * needs no script.
 */
import { escapeHtml } from '../http/pages/html-page.ts'
import type { CredentialKind, OfferedResource, Overview } from './overview.ts'

const headerOf: Readonly<Record<CredentialKind, string>> = {
  none: '',
  token: ' -H "Authorization: Bearer $TOKEN"',
  key: ' -H "X-API-Key: $KEY"',
}
const whoOf: Readonly<Record<CredentialKind, string>> = {
  none: '<span class="who none">anyone</span>',
  token: '<a class="who" href="#log-in">log in</a>',
  key: '<a class="who" href="#log-in">API key</a>',
}

/** `curl http://localhost:3000/api/v1/people/$ID/desk`: a line for a shell. */
function curlOf(origin: string, { path, credential }: OfferedResource): string {
  return `curl ${origin}${path.replace(/\{.*?\}/g, '$ID')}${headerOf[credential]}`
}

function code(text: string): string {
  return `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>`
}

function counted(count: number): string {
  return count === 1 ? '1 operation' : `${count} operations`
}

function rowOf(origin: string, offered: OfferedResource): string {
  const { label, path, operations, reads, credential } = offered
  const open = reads && credential === 'none' && !path.includes('{')
  const name = open ? `<a href="${escapeHtml(path)}">${escapeHtml(label)}</a>` : escapeHtml(label)
  return `<li>
<h3>${name}</h3>
<p class="facts">${counted(operations)} ${whoOf[credential]}</p>
${code(reads ? curlOf(origin, offered) : path)}
</li>`
}

function firstRequest(origin: string, { resources }: Overview): string {
  const first = resources.find(({ reads, credential, path }) => reads && credential === 'none' && !path.includes('{'))
  return first ? `<section><h2>A first request</h2>${code(curlOf(origin, first))}</section>` : ''
}

function shellJson(value: unknown): string {
  return `'${JSON.stringify(value)}'`
}

function loginSection(origin: string, { login }: Overview): string {
  if (!login) return ''
  const post = (path: string, body: unknown) =>
    `curl ${origin}${path} -H "Content-Type: application/json" \\\n  -d ${shellJson(body)}`
  const { signUp, keys } = login
  const account = signUp
    ? `<p>Make an account:</p>${code(post(signUp.path, { [signUp.login]: 'you@example.com', [signUp.secret]: 'a long pass phrase' }))}`
    : ''
  const token = `TOKEN=$(${post(login.path, { email: 'you@example.com', password: 'a long pass phrase' })} \\\n  | sed 's/.*"accessToken":"\\([^"]*\\)".*/\\1/')`
  const machines = keys
    ? `<p>Machines use an API key, made once at <code>${escapeHtml(keys)}</code>: <code>X-API-Key: $KEY</code>.</p>`
    : ''
  return `<section id="log-in"><h2>Log in</h2>
${account}<p>Get an access token, which is good for 15 minutes:</p>${code(token)}
<p>Send it with each request: <code>Authorization: Bearer $TOKEN</code>. In the <a href="/docs">API reference</a> a form does all of this.</p>
${machines}</section>`
}

/** The body of the page. `origin`: `http://localhost:3000`, as the caller wrote it. */
export function welcomeBody(overview: Overview, origin: string): string {
  const { name, version, api, links, resources } = overview
  const total = resources.reduce((sum, { operations }) => sum + operations, 0)
  const rows = resources.map((offered) => rowOf(origin, offered)).join('\n')
  return `<main>
<header>
<h1>${escapeHtml(name)} <small>${escapeHtml(version)}</small></h1>
<p class="lead">A resource API by REST and GraphQL: ${resources.length} ${resources.length === 1 ? 'resource' : 'resources'} with ${counted(total)} under <code>${escapeHtml(api)}</code>.</p>
</header>
<nav aria-label="Documents">
<a href="${links.docs}"><b>API reference</b><span>Every operation, to read and to try</span></a>
<a href="${links.graphql}"><b>GraphQL</b><span>The same resources, in an editor for queries</span></a>
<a href="${links.openapi}"><b>OpenAPI</b><span>The document for generators and tools</span></a>
</nav>
${firstRequest(origin, overview)}
<section><h2>Resources</h2>
<ul class="resources">
${rows}
</ul>
</section>
${loginSection(origin, overview)}
</main>`
}
