/** The SDK of the Model Context Protocol: a package that whoever uses it installs, and that is loaded when the first agent comes. */
import { createRequire } from 'node:module'
import { StartError } from '../errors.ts'

const name = '@modelcontextprotocol/sdk'

async function load() {
  const [{ Server }, { WebStandardStreamableHTTPServerTransport }, { CallToolRequestSchema, ListToolsRequestSchema }] =
    await Promise.all([
      import('@modelcontextprotocol/sdk/server/index.js'),
      import('@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'),
      import('@modelcontextprotocol/sdk/types.js'),
    ])
  return { Server, Transport: WebStandardStreamableHTTPServerTransport, CallToolRequestSchema, ListToolsRequestSchema }
}
export type Sdk = Awaited<ReturnType<typeof load>>

export function isSdkInstalled(): boolean {
  try {
    createRequire(import.meta.url).resolve(`${name}/server/index.js`)
    return true
  } catch {
    return false
  }
}

/** Throws `StartError` when the operator asked for what cannot be. */
export function checkSdk(mode: string): void {
  if (!isSdkInstalled()) throw new StartError(`MCP=${mode} needs a package that is not installed: npm install ${name}`)
}

/** Loads it once. It takes some 30 MB and a third of a second, which a service without agents does not pay. */
export function makeLoadSdk(): () => Promise<Sdk> {
  let loading: Promise<Sdk> | undefined
  return () => {
    loading ??= load()
    return loading
  }
}
