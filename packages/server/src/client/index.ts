/**
 * The exports of `bindery-server/client`: a client for Node and browsers. It uses no module of Node
 * or the engine.
 */

export type { AccountsClient, OpenSession } from './accounts.ts'
export { makePasskey, showPasskey } from './browser-passkeys.ts'
export { type Client, createClient } from './create-client.ts'
export type { LogInCredentials, MailedLink, RefreshBy, SecondFactor } from './log-in.ts'
export type { AnyRequestOptions, ApiConnection, ApiResponse, ClientOptions } from './make-connection.ts'
export { type NextStep, nextStepIn, nextStepOf, RequestError, type RequestErrorDetail } from './request-error.ts'
export type { AnyPaths, SendOptions, Version, WriteOptions } from './request-type.ts'
export type { RetryOptions } from './retry.ts'
export { memoryStore, type SessionInfo, type TokenStore, type Tokens } from './tokens.ts'
