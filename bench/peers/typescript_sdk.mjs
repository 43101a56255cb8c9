// SPDX-License-Identifier: MIT
// @modelcontextprotocol/sdk, as its own documentation uses it.
import { createRequire } from 'node:module';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { join } from './join.mjs';

const { dependencies } = createRequire(import.meta.url)('./package.json');

await join(dependencies['@modelcontextprotocol/sdk'], async ({ stdio, http }) => {
  const client = new Client({ name: 'hawser-bench', version: '1' });
  await client.connect(
    stdio
      ? new StdioClientTransport({ command: stdio[0], args: stdio.slice(1) })
      : new StreamableHTTPClientTransport(new URL(http)),
  );
  return client;
});
