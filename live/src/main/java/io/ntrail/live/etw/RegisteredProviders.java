package io.ntrail.live.etw;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.identity.Guid;
import io.ntrail.live.agent.Agent;
import io.ntrail.live.agent.AgentCall;
import io.ntrail.live.agent.CallOutcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Providers that are registered on a machine, by name: TdhEnumerateProviders.
 *
 * <p>Source: PROVIDER_ENUMERATION_INFO and TRACE_PROVIDER_INFO of tdh.h in mingw-w64.
 */
public final class RegisteredProviders {
  /** Library with the call. */
  public static final String LIBRARY = "tdh.dll";

  private static final int TOO_SMALL = 122;
  private static final int HEAD = 8;
  private static final int ENTRY = 24;
  private static final int NAME_OFFSET = 20;

  /** More than any machine has; a system that says so is not believed. */
  private static final int MOST_BYTES = 64 << 20;

  /** Providers may be registered between the two calls. */
  private static final int TRIES = 4;

  private final Map<String, Guid> byName = new TreeMap<>();
  private final List<String> names = new ArrayList<>();

  private RegisteredProviders(Bytes list) {
    long count = list.u32(0);
    if (count > (list.length() - HEAD) / ENTRY) {
      throw new CannotGoOn("the list of registered providers is damaged", "");
    }
    for (int i = 0; i < count; i++) {
      int at = HEAD + i * ENTRY;
      long name = list.u32(at + NAME_OFFSET);
      if (name >= HEAD + count * ENTRY && name < list.length()) {
        String text = list.utf16z((int) name, list.length());
        names.add(text);
        byName.put(text.toLowerCase(Locale.ROOT), Guid.read(list, at));
      }
    }
  }

  /**
   * Asks a machine.
   *
   * @param library with the call: {@link #LIBRARY}, or one that plays it
   */
  static RegisteredProviders of(Agent agent, String library) {
    long address = agent.resolve(library, "TdhEnumerateProviders");
    if (address == 0) {
      throw CannotGoOn.impossible("this system has no TdhEnumerateProviders in " + library, "");
    }
    long size = 0;
    for (int i = 0; i < TRIES; i++) {
      long buffer = size == 0 ? 0 : allocate(agent, size);
      try {
        agent.poke(agent.scratch(), new BytesBuilder(4).u32((int) size).toArray());
        CallOutcome outcome = agent.call(AgentCall.of(address, buffer, agent.scratch()));
        int error = outcome.asInt();
        if (outcome.kind() == CallOutcome.Kind.DONE && error == 0 && size > 0) {
          return new RegisteredProviders(agent.peek(buffer, (int) size));
        }
        if (error != TOO_SMALL) {
          throw SessionFailure.of("TdhEnumerateProviders", error);
        }
        size = agent.peek(agent.scratch(), Integer.BYTES).u32(0);
        if (size < HEAD || size > MOST_BYTES) {
          throw new CannotGoOn(
              "Windows says that its list of providers has " + size + " bytes", "");
        }
      } finally {
        if (buffer != 0) {
          free(agent, buffer);
        }
      }
    }
    throw SessionFailure.of("TdhEnumerateProviders", TOO_SMALL);
  }

  private static long allocate(Agent agent, long size) {
    long address = agent.resolve("kernel32.dll", "VirtualAlloc");
    long buffer = agent.call(AgentCall.of(address, 0, size, 0x3000, 4)).result();
    if (buffer == 0) {
      throw new CannotGoOn("no memory in the agent", "");
    }
    return buffer;
  }

  private static void free(Agent agent, long buffer) {
    agent.call(AgentCall.of(agent.resolve("kernel32.dll", "VirtualFree"), buffer, 0, 0x8000));
  }

  /** Returns the one of a name, in any case; null if none is registered. */
  public @Nullable Guid named(String name) {
    return byName.get(name.toLowerCase(Locale.ROOT));
  }

  /** Returns all names. */
  public List<String> names() {
    return List.copyOf(names);
  }
}
