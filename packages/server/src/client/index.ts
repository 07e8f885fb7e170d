/** What `bindery-server/client` exports: a client for Node and browsers. It uses nothing of Node, and nothing of the engine. */

export type { Accounts, OpenSession } from './accounts.ts'
export { makePasskey, showPasskey } from './browser-passkeys.ts'
export { type Client, createClient } from './create-client.ts'
export type { Credentials, MailedLink, RefreshBy, SecondStep } from './log-in.ts'
export type { Answer, AnyOptions, ClientOptions, Connection } from './make-connection.ts'
export type { Repeating } from './repeat.ts'
export { type NextStep, nextStepIn, nextStepOf, RequestError, type RequestErrorDetail } from './request-error.ts'
export type { AnyPaths, SendOptions, Version, WriteOptions } from './request-type.ts'
export { memoryStore, type Session, type TokenStore, type Tokens } from './tokens.ts'
