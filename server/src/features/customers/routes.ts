import { Type } from 'typebox'
import type { AppContext } from '../../platform/context.ts'
import type { App } from '../../platform/http/app.ts'
import { registerEditable } from '../../platform/http/editable-resource.ts'
import {
  defineProblems,
  defineWorkspaceParams,
  WorkspaceParams,
} from '../../platform/http/schemas.ts'
import { createAddress, listAddresses, revokeAddress } from './documents/addresses-service.ts'
import { createCustomerLink, listCustomerLinks, revokeCustomerLink } from './links/service.ts'
import * as schemas from './schemas.ts'
import {
  createCustomer,
  deleteCustomer,
  getCustomer,
  listCustomers,
  updateCustomer,
} from './service.ts'
import { registerCustomerPreviewRoutes } from './view/routes.ts'

const tags = ['Customers']
const CustomerParams = defineWorkspaceParams('customerId')

export function registerCustomerRoutes(app: App, ctx: AppContext): void {
  app.post(
    '/customers',
    {
      config: { scope: 'Customers: write' },
      schema: {
        operationId: 'createCustomer',
        summary:
          'Create a customer: who has some of the devices, and may see what is known of them',
        tags,
        params: WorkspaceParams,
        body: schemas.CreateCustomerCommand,
        response: { 201: schemas.Customer, ...defineProblems(400, 404, 409) },
      },
    },
    async ({ params, body, principal: { actor } }, reply) =>
      reply.code(201).send(await createCustomer(ctx, { ...params, ...body, actor })),
  )

  app.get(
    '/customers',
    {
      config: { scope: 'Customers: read' },
      schema: {
        operationId: 'listCustomers',
        summary: 'List the customers with the number of their devices and links',
        tags,
        params: WorkspaceParams,
        response: { 200: schemas.CustomerList, ...defineProblems(404) },
      },
    },
    ({ params, reading }) => listCustomers(reading, reading.db, params),
  )

  registerEditable(app, {
    path: '/customers/:customerId',
    tags,
    scope: 'Customers',
    params: CustomerParams,
    command: schemas.UpdateCustomerCommand,
    answer: schemas.Customer,
    get: { operationId: 'getCustomer', summary: 'Get a customer' },
    put: {
      operationId: 'updateCustomer',
      summary: 'Replace a customer; what is left out is cleared',
      mayConflict: true,
    },
    patch: {
      operationId: 'changeCustomer',
      summary: 'Change fields of a customer',
      name: 'CustomerPatch',
      mayConflict: true,
    },
    delete: {
      operationId: 'deleteCustomer',
      summary: 'Delete a customer; its links work no longer, and devices stay as they are',
      remove: (removal) => deleteCustomer(ctx, removal),
    },
    read: (one) => getCustomer(ctx, ctx.db, one),
    write: (change) => updateCustomer(ctx, change),
  })

  registerLinks(app, ctx)
  registerCustomerPreviewRoutes(app)
  registerAddresses(app, ctx)
}

function registerLinks(app: App, ctx: AppContext): void {
  app.post(
    '/customers/:customerId/links',
    {
      config: { scope: 'Customers: write' },
      schema: {
        operationId: 'createCustomerLink',
        summary: 'Make a link to the page of a customer; its address is in this answer only',
        tags,
        params: CustomerParams,
        body: schemas.CreateCustomerLinkCommand,
        response: { 201: schemas.NewCustomerLink, ...defineProblems(400, 404, 409) },
      },
    },
    async ({ params, body, principal: { actor } }, reply) =>
      reply.code(201).send(await createCustomerLink(ctx, { ...params, ...body, actor })),
  )
  app.get(
    '/customers/:customerId/links',
    {
      config: { scope: 'Customers: read' },
      schema: {
        operationId: 'listCustomerLinks',
        summary: 'List the links of a customer with their last use',
        tags,
        params: CustomerParams,
        response: { 200: schemas.CustomerLinkList, ...defineProblems(404) },
      },
    },
    ({ params }) => listCustomerLinks(ctx, params),
  )
  app.delete(
    '/customers/:customerId/links/:linkId',
    {
      config: { scope: 'Customers: write' },
      schema: {
        operationId: 'revokeCustomerLink',
        summary: 'Revoke a link of a customer: it works no longer from now on',
        tags,
        params: defineWorkspaceParams('customerId', 'linkId'),
        response: { 204: Type.Null({ description: 'Revoked' }), ...defineProblems(404) },
      },
    },
    async ({ params, principal: { actor } }, reply) => {
      await revokeCustomerLink(ctx, { ...params, actor })
      return reply.code(204).send(null)
    },
  )
}

function registerAddresses(app: App, ctx: AppContext): void {
  app.post(
    '/standing-addresses',
    {
      config: { scope: 'Customers: write' },
      schema: {
        operationId: 'createStandingAddress',
        summary: 'Make an address at which others always find current documents about a firmware',
        description:
          'For everybody, or by a link whose token is in this answer only. VEX documents say what was decided, a minute later at most.',
        tags,
        params: WorkspaceParams,
        body: schemas.CreateStandingAddressCommand,
        response: { 201: schemas.NewStandingAddress, ...defineProblems(400, 404, 409) },
      },
    },
    async ({ params, body, principal: { actor } }, reply) =>
      reply.code(201).send(await createAddress(ctx, { ...params, ...body, actor })),
  )
  app.get(
    '/standing-addresses',
    {
      config: { scope: 'Customers: read' },
      schema: {
        operationId: 'listStandingAddresses',
        summary: 'List standing addresses with their last use',
        tags,
        params: WorkspaceParams,
        response: { 200: schemas.StandingAddressList, ...defineProblems(404) },
      },
    },
    ({ params, reading }) => listAddresses(reading, reading.db, params),
  )
  app.delete(
    '/standing-addresses/:standingAddressId',
    {
      config: { scope: 'Customers: write' },
      schema: {
        operationId: 'revokeStandingAddress',
        summary: 'Revoke a standing address: it answers nothing from now on',
        tags,
        params: defineWorkspaceParams('standingAddressId'),
        response: { 204: Type.Null({ description: 'Revoked' }), ...defineProblems(404) },
      },
    },
    async ({ params, principal: { actor } }, reply) => {
      await revokeAddress(ctx, { ...params, actor })
      return reply.code(204).send(null)
    },
  )
}
