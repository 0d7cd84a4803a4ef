/**
 * The agent: a program of a few kilobytes that runs beside the target, on Windows or under Wine,
 * and makes the calls that the controller asks for through a pipe. It knows nothing of tracing: all
 * decisions and all machine code come from the controller, so a new call of the system's interface
 * never needs a new agent. There are two, of 64-bit and of 32-bit code ({@link
 * io.ntrail.live.agent.AgentStart}).
 *
 * <p>Its file is written by our own PE writer and assembler ({@link
 * io.ntrail.live.agent.AgentImage}); the protocol of the pipe is in {@link
 * io.ntrail.live.agent.AgentProtocol}; {@link io.ntrail.live.agent.Agent} is the controller's end.
 */
@NullMarked
package io.ntrail.live.agent;

import org.jspecify.annotations.NullMarked;
