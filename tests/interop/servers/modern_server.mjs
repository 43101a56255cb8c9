// SPDX-License-Identifier: MIT
// A stdio server of the 2026-07-28 era, made with the official TypeScript SDK: what the interop tests hold against
// Hawser's reading of that era. Run by node from a folder that has the SDK in its node_modules.
//
//   node modern_server.mjs [--modern-only]
//
// It serves clients of the older era, too, as the SDK does by itself; with --modern-only it refuses them.
import { McpServer, ResourceTemplate, completable, createRequestStateCodec, inputRequired, inputResponse } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { setTimeout as sleep } from 'node:timers/promises';
import { randomBytes, webcrypto } from 'node:crypto';
import * as z from 'zod';

const text = (words) => ({ content: [{ type: 'text', text: words }] });
globalThis.crypto ??= webcrypto;  // Debian 12 has Node 18, where it is no global yet
const states = createRequestStateCodec({ key: randomBytes(32) });

// One question, then the answer: what every tool below does that has to ask the client something.
function ask(ctx, request, then) {
  const answer = inputResponse(ctx.mcpReq.inputResponses, 'answer');
  return answer.kind === 'missing' ? inputRequired({ inputRequests: { answer: request } }) : then(answer);
}

function addTools(server) {
  server.registerTool('echo', { description: 'Says what it was told', inputSchema: z.object({ text: z.string() }) },
    async (given) => text(given.text));

  server.registerTool('add',
    {
      description: 'Adds two numbers',
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      outputSchema: z.object({ sum: z.number() }),
      annotations: { readOnlyHint: true },
    },
    async ({ a, b }) => ({ ...text(String(a + b)), structuredContent: { sum: a + b } }));

  server.registerTool('fail', { description: 'Says no' }, async () => ({ ...text('no'), isError: true }));

  server.registerTool('count',
    { description: 'Counts with progress, and stops when it is cancelled', inputSchema: z.object({ to: z.int(), every_ms: z.int() }) },
    async ({ to, every_ms }, ctx) => {
      const progressToken = ctx.mcpReq._meta?.progressToken;
      for (let n = 1; n <= to; ++n) {
        await sleep(every_ms, undefined, { signal: ctx.mcpReq.signal });
        if (progressToken !== undefined)
          await ctx.mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress: n, total: to, message: `${n} of ${to}` } });
      }
      return text(`counted to ${to}`);
    });

  server.registerTool('log', { description: 'Logs a line at level info and one at level debug' },
    async (ctx) => {
      await ctx.mcpReq.log('info', 'a line', 'modern');
      await ctx.mcpReq.log('debug', 'a detail', 'modern');
      return text('logged');
    });
}

function addQuestions(server) {
  const name = { type: 'object', properties: { name: { type: 'string', default: 'nobody' } }, required: ['name'] };

  // Two rounds, with a state that must come back byte for byte.
  server.registerTool('greet', { description: 'Asks for a name and a colour, one after the other' },
    async (ctx) => {
      const known = ctx.mcpReq.requestState();
      const answer = inputResponse(ctx.mcpReq.inputResponses, known ? 'colour' : 'name');
      if (answer.kind === 'elicit' && answer.action !== 'accept') return text(`${answer.action}: no greeting`);
      if (answer.kind === 'missing')
        return inputRequired({ inputRequests: { name: inputRequired.elicit({ message: 'Who are you?', requestedSchema: name }) } });
      if (known) return text(`Hello ${known.name}, you like ${answer.content.colour}`);
      return inputRequired({
        inputRequests: { colour: inputRequired.elicit({ message: 'Which colour?', requestedSchema:
          { type: 'object', properties: { colour: { type: 'string', enum: ['red', 'green'] } }, required: ['colour'] } }) },
        requestState: await states.mint({ name: answer.content.name }),
      });
    });

  server.registerTool('open_page', { description: 'Asks to open a page' },
    async (ctx) => ask(ctx, inputRequired.elicitUrl({ message: 'Please sign in', url: 'https://example.com/sign-in' }),
      (answer) => text(`page: ${answer.action}`)));

  server.registerTool('ask_model', { description: "Asks the client's model" },
    async (ctx) => ask(ctx,
      inputRequired.createMessage({ messages: [{ role: 'user', content: { type: 'text', text: 'Say something' } }], maxTokens: 100 }),
      (answer) => text(`model: ${answer.result.content.text}`)));

  server.registerTool('list_roots', { description: "Names the client's roots" },
    async (ctx) => ask(ctx, inputRequired.listRoots(), (answer) => text(`roots: ${answer.roots.map((root) => root.uri).join(' ')}`)));
}

function addChanges(server) {
  let late;
  server.registerTool('toggle_tool', { description: 'Adds the tool "late", or removes it' },
    async () => {
      if (late) {
        late.remove();
        late = undefined;
        return text('removed');
      }
      late = server.registerTool('late', { description: 'Came later' }, async () => text('late, but here'));
      return text('added');
    });

  let notes = 0;
  server.registerTool('write_note', { description: 'Changes note://latest' },
    async () => {
      ++notes;
      await server.server.sendResourceUpdated({ uri: 'note://latest' });
      return text(`note ${notes}`);
    });
  server.registerResource('latest', 'note://latest', { title: 'The latest note', mimeType: 'text/plain' },
    async (uri) => ({ contents: [{ uri: uri.href, mimeType: 'text/plain', text: `note ${notes}` }] }));
  server.registerResource('fixed', 'note://fixed', { mimeType: 'text/plain', cacheHint: { ttlMs: 60000, cacheScope: 'public' } },
    async (uri) => ({ contents: [{ uri: uri.href, mimeType: 'text/plain', text: 'never changes' }] }));
  server.registerResource('numbered', new ResourceTemplate('note://number/{number}', { list: undefined }), { mimeType: 'text/plain' },
    async (uri, { number }) => ({ contents: [{ uri: uri.href, mimeType: 'text/plain', text: `note ${number}` }] }));

  const languages = ['english', 'estonian', 'german'];
  const language = completable(z.string(), (typed) => languages.filter((one) => one.startsWith(typed)));
  server.registerPrompt('translate', { description: 'A translation', argsSchema: z.object({ language, text: z.string() }) },
    ({ language: into, text: given }) => ({ messages: [{ role: 'user', content: { type: 'text', text: `Into ${into}: ${given}` } }] }));
}

const handle = serveStdio(() => {
  const server = new McpServer({ name: 'hawser-modern', version: '1.0.0' }, {
    capabilities: { tools: { listChanged: true }, resources: { subscribe: true, listChanged: true }, prompts: { listChanged: true }, logging: {} },
    instructions: 'A server for tests.',
    cacheHints: { 'tools/list': { ttlMs: 30000, cacheScope: 'public' } },
    requestState: { verify: states.verify },
  });
  addTools(server);
  addQuestions(server);
  addChanges(server);
  return server;
}, {
  legacy: process.argv.includes('--modern-only') ? 'reject' : 'serve',
  onerror: (error) => console.error(`modern_server: ${error.message}`),
});
process.on('SIGTERM', () => handle.close().finally(() => process.exit(0)));
console.error('modern_server: ready');
