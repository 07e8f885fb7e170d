/**
 * The exports of `bindery-server/client`: a client for Node and browsers. It uses no module of Node
 * or the engine.
 */

export type { ChangeOf, FollowOptions, LostChanges } from './changes/follow-changes.ts'
export type { Live, LiveEvent, LiveList, LiveOptions, LiveSnapshot } from './changes/live-list.ts'
export type { ConsoleDescription, LogInWays, ModuleDescription } from './console-description.ts'
export type {
  ConsoleActionContext,
  ConsoleCellContext,
  ConsoleContext,
  ConsoleMount,
  ConsolePageContext,
  ConsoleWidgetContext,
} from './console-module.ts'
export { type Client, createClient } from './create-client.ts'
export type { UploadFile, UploadMemory, UploadOptions, UploadProgress } from './files/upload.ts'
export type { AccountsClient, OpenSession } from './identity/accounts.ts'
export { makePasskey, showPasskey } from './identity/browser-passkeys.ts'
export type { LogInCredentials, MailedLink, RefreshBy, SecondFactor } from './identity/log-in.ts'
export { memoryStore, type SessionInfo, type TokenStore, type Tokens } from './identity/tokens.ts'
export type { AnyRequestOptions, ApiConnection, ApiResponse, ClientOptions } from './make-connection.ts'
export { type NextStep, nextStepIn, nextStepOf, RequestError, type RequestErrorDetail } from './request-error.ts'
export type { AnyPaths, SendOptions, Version, WriteOptions } from './request-type.ts'
export type {
  ActionDescription,
  ChildDescription,
  FieldDescription,
  FieldTypeName,
  FileDescription,
  LabelDescription,
  LabelsByLanguage,
  ReferenceDescription,
  ResourceDescription,
  ResourceSummary,
  TenancyDescription,
  ValueSchema,
  WidgetName,
} from './resource-description.ts'
export type { RetryOptions } from './retry.ts'
