/**
 * Loads the SDK of the Model Context Protocol on first use. It takes some 30 MB and a third of a
 * second, which a service without agents does not spend.
 */
import { loadOnce, type OptionalPackage } from '../base/optional-package.ts'

export const sdkPackage = {
  name: '@modelcontextprotocol/sdk',
  entry: '@modelcontextprotocol/sdk/server/index.js',
} satisfies OptionalPackage

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

export const makeLoadSdk = () => loadOnce(load)
