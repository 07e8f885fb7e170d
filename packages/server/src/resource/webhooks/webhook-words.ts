/** The names of the tables of webhooks, and the words of their fields. */

export const webhookNames = {
  endpoint: 'webhookEndpoint',
  delivery: 'webhookDelivery',
  attempt: 'webhookAttempt',
  reader: 'webhookReader',
} as const

/** The meanings of a change for the owner of an endpoint. */
export const webhookEvents = ['enter', 'change', 'leave', 'delete'] as const

/** Events that are about no record: a test, and changes that cannot be told any more. */
export const pingEvent = 'ping'
export const lostEvent = 'lost'

/** Why an endpoint of the application is off: nothing of it is wrong. */
export const undeclaredReason = 'It is not in the declaration any more, or has no address'

export const deliveryStates = ['waiting', 'delivered', 'failed'] as const
export type DeliveryState = (typeof deliveryStates)[number]
