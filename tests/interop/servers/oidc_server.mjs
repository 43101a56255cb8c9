// SPDX-License-Identifier: MIT
// A real authorization server, oidc-provider, and on another origin two MCP servers that it protects: /legacy/mcp is made
// with SDK 1.x and has sessions, /modern/mcp is made with SDK 2.x and speaks 2026-07-28 only. Needs node 22.
//
//   node oidc_server.mjs PORT_FILE [--lifetime SECONDS] [--offline] [--no-registration] [--document URL] [--client ID SECRET]
//
// --offline: a refresh token only for who asks for offline_access; else for every client that may refresh.
// --document: this client id is known by its metadata document, which this program has (the provider fetches it; the
// network is the one thing that is not real). PORT_FILE gets the port of the MCP servers when all of them listen.
// GET /control/counts says what happened; POST /control/replay uses a refresh token again that is used up, as a thief would.
import { Provider } from 'oidc-provider';
import { McpServer as LegacyServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { requireBearerAuth as legacyGate } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js';
import { InvalidTokenError } from '@modelcontextprotocol/sdk/server/auth/errors.js';
import { McpServer, OAuthError, OAuthErrorCode, createMcpHandler, requireBearerAuth } from '@modelcontextprotocol/server';
import { randomBytes, randomUUID } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import express from 'express';
import * as z from 'zod';

const [portFile, ...words] = process.argv.slice(2);
const after = (word, nth = 1) => (words.includes(word) ? words[words.indexOf(word) + nth] : undefined);
const lifetime = Number(after('--lifetime') ?? 5);
const document = after('--document');

const counts = { registrations: 0, codes: 0, refreshes: 0, refusals: 0, replays: 0, revocations: 0, calls: 0, unauthorized: 0, forbidden: 0, errors: [] };
const used = [];  // refresh tokens that were traded for new ones, with their client

function listening(server) {
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${server.address().port}`)));
}

const authorizationHttp = createServer();
const app = express();
const issuer = await listening(authorizationHttp);
const mcpHttp = createServer(app);
const origin = await listening(mcpHttp);
const resources = { legacy: `${origin}/legacy/mcp`, modern: `${origin}/modern/mcp` };
const metadataUrl = (era) => `${origin}/.well-known/oauth-protected-resource/${era}/mcp`;

// ---- the authorization server
const provider = new Provider(issuer, {
  clients: words.includes('--client')
    ? [{
        client_id: after('--client'),
        client_secret: after('--client', 2),
        application_type: 'native',
        redirect_uris: ['http://127.0.0.1/callback'],
        grant_types: ['authorization_code', 'refresh_token'],
      }]
    : [],
  cookies: { keys: [randomBytes(24).toString('hex')] },
  pkce: { required: () => true },
  rotateRefreshToken: true,
  ...(words.includes('--offline') ? {} : { issueRefreshToken: async (_, client) => client.grantTypeAllowed('refresh_token') }),
  features: {
    registration: { enabled: !words.includes('--no-registration') },
    revocation: { enabled: true },
    clientIdMetadataDocument: { enabled: document !== undefined, ack: 'draft-02' },
    resourceIndicators: {
      enabled: true,
      getResourceServerInfo: async (_, resource) => {
        if (!Object.values(resources).includes(resource)) throw new Error('unknown resource');
        return { scope: 'notes:read notes:write', accessTokenTTL: lifetime, accessTokenFormat: 'opaque' };
      },
    },
  },
  fetch: async (url, options) => {
    if (String(url) !== document) return fetch(url, options);
    return Response.json({
      client_id: document,
      client_name: 'Hawser',
      application_type: 'native',
      redirect_uris: ['http://127.0.0.1/callback'],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    });
  },
});
provider.on('registration_create.success', () => ++counts.registrations);
provider.use(async (ctx, next) => {
  await next();
  if (ctx.oidc?.route === 'revocation' && ctx.status === 200) ++counts.revocations;
});
provider.on('grant.success', ({ oidc }) => {
  const { grant_type: kind, refresh_token: token } = oidc.params;
  if (kind === 'authorization_code') ++counts.codes;
  if (kind !== 'refresh_token') return;
  ++counts.refreshes;
  used.push({ token, client: oidc.client.clientId, resource: oidc.params.resource });
});
provider.on('grant.error', (ctx, error) => {
  ++counts.refusals;
  if (error.error_detail === 'refresh token already used') ++counts.replays;
});
for (const what of ['authorization.error', 'grant.error', 'registration_create.error', 'revocation.error', 'server_error'])
  provider.on(what, (_, error) => counts.errors.push(`${what}: ${error.error ?? error.message} ${error.error_detail ?? ''}`.trim()));
authorizationHttp.on('request', provider.callback());

// ---- what it protects
async function verified(era, token, refuse) {
  const found = await provider.AccessToken.find(token);
  if (!found || found.aud !== resources[era]) throw refuse('the token is unknown, expired or for somebody else');
  return { token, clientId: found.clientId, scopes: (found.scope ?? '').split(' '), expiresAt: found.exp, resource: new URL(found.aud) };
}

const needed = (message) => (message?.method === 'tools/call' && message.params?.name === 'write_note' ? ['notes:read', 'notes:write'] : ['notes:read']);
const notes = [];

function addTools(server) {
  const text = (words) => ({ content: [{ type: 'text', text: words }] });
  server.registerTool('read_notes', { description: 'Reads all notes' }, async () => (++counts.calls, text(`notes: ${notes.join(', ')}`)));
  server.registerTool('write_note', { description: 'Writes a note', inputSchema: z.object({ text: z.string() }) },
    async (given) => (++counts.calls, notes.push(given.text), text(`written: ${given.text}`)));
  return server;
}

app.use((request, response, next) => {
  response.on('finish', () => {
    if (response.statusCode === 401) ++counts.unauthorized;
    if (response.statusCode === 403) ++counts.forbidden;
  });
  next();
});
app.get('/.well-known/oauth-protected-resource/:era/mcp', (request, response) => {
  if (!resources[request.params.era]) return response.status(404).end();
  return response.json({ resource: resources[request.params.era], authorization_servers: [issuer], scopes_supported: ['notes:read', 'notes:write'] });
});

const sessions = new Map();
app.use('/legacy/mcp', express.json(), (request, response, next) => {
  const verifier = { verifyAccessToken: (token) => verified('legacy', token, (why) => new InvalidTokenError(why)) };
  return legacyGate({ verifier, requiredScopes: needed(request.body), resourceMetadataUrl: metadataUrl('legacy') })(request, response, next);
}, async (request, response) => {
  const id = request.headers['mcp-session-id'];
  if (id && !sessions.has(id)) return response.status(404).end();
  let transport = sessions.get(id);
  if (!transport) {
    transport = new StreamableHTTPServerTransport({ sessionIdGenerator: randomUUID, onsessioninitialized: (made) => sessions.set(made, transport) });
    transport.onclose = () => sessions.delete(transport.sessionId);
    await addTools(new LegacyServer({ name: 'notes-legacy', version: '1.0.0' })).connect(transport);
  }
  return transport.handleRequest(request, response, request.body);
});

const modern = createMcpHandler(() => addTools(new McpServer({ name: 'notes-modern', version: '1.0.0' })), { legacy: 'reject' });
app.use('/modern/mcp', async (request, response) => {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  const body = Buffer.concat(pieces);
  let message;
  try { message = JSON.parse(body); } catch { /* the handler says what is wrong with it */ }
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  const asked = new Request(resources.modern, {
    method: request.method,
    headers: Object.entries(request.headers).flatMap(([name, value]) => [value].flat().map((one) => [name, one])),
    body: body.length ? body : undefined,
    signal: gone.signal,
  });
  const verifier = { verifyAccessToken: (token) => verified('modern', token, (why) => new OAuthError(OAuthErrorCode.InvalidToken, why)) };
  const gate = await requireBearerAuth({ verifier, requiredScopes: needed(message), resourceMetadataUrl: metadataUrl('modern') })(asked);
  const answer = gate instanceof Response ? gate : await modern.fetch(asked, { authInfo: gate });
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  if (!answer.body) return response.end();
  return Readable.fromWeb(answer.body).on('error', () => response.destroy()).pipe(response);
});

// ---- what the test asks
app.get('/control/counts', (request, response) => response.json(counts));
app.post('/control/replay', async (request, response) => {
  if (used.length === 0) return response.status(409).json({ error: 'nothing was refreshed yet' });
  const { token, client, resource } = used.at(-1);
  const form = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: token, client_id: client, resource });
  const answer = await fetch(`${issuer}/token`, { method: 'POST', body: form });
  return response.json({ status: answer.status, ...(await answer.json()) });
});

writeFileSync(`${portFile}.new`, new URL(origin).port);
renameSync(`${portFile}.new`, portFile);
console.error(`oidc_server: ${issuer} protects ${Object.values(resources).join(' and ')}`);
