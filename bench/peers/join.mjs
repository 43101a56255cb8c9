// SPDX-License-Identifier: MIT
// The client side of hawser-bench's peer protocol (see README.md), for clients on node: one line in, one line out.
import { createInterface } from 'node:readline';

const now = process.hrtime.bigint;

// Keeps `inFlight` calls in flight until `count` are answered.
async function run(call, count, inFlight) {
  const nanoseconds = new Array(count);
  let next = 0;
  const inTurn = async () => {
    while (next < count) {
      const i = next++;
      const begin = now();
      await call();
      nanoseconds[i] = Number(now() - begin);
    }
  };
  const begin = now();
  await Promise.all(Array.from({ length: Math.min(inFlight, count) }, inTurn));
  return { took: Number(now() - begin), nanoseconds };
}

/// `connect(target)` opens the connection and returns the call that is measured.
export async function join(version, connect) {
  const say = (line) => process.stdout.write(JSON.stringify(line) + '\n');
  let call;
  for await (const line of createInterface({ input: process.stdin })) {
    const asked = JSON.parse(line);
    try {
      if (asked.connect) {
        const client = await connect(asked.connect);
        call = () => client.callTool(asked.call);
        const answer = await call();
        if (answer.isError || answer.content?.[0]?.type !== 'text') throw new Error('the tool did not answer with a text');
        say({ ready: version });
      } else {
        say(await run(call, asked.run, asked.in_flight));
      }
    } catch (problem) {
      say({ error: String(problem?.message ?? problem) });
    }
  }
  process.exit(0); // open sockets and timers of the client must not keep the process alive
}
