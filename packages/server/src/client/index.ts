/** What `bindery-server/client` exports: a client for Node and browsers. It uses nothing of Node, and nothing of the engine. */
export type { Answer, AnyOptions, ClientOptions, Connection } from './connection.ts'
export { type Client, createClient } from './create-client.ts'
export type { Credentials, RefreshBy } from './log-in.ts'
export type { AnyPaths, Version } from './paths.ts'
export { RequestError } from './request-error.ts'
export { memoryStore, type Session, type TokenStore, type Tokens } from './tokens.ts'
