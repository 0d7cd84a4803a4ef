package io.ntrail.live.etw;

import io.ntrail.formats.identity.Guid;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Tasks that are left for the end of a session, kept in the registry since Windows does not know
 * them: any process can stop a session, and the one that started it may be gone.
 *
 * @param program name of the program's file whose heaps are traced from its start; empty: none
 * @param states of providers that are to be captured
 */
public record SessionMemo(String program, List<State> states) {
  /**
   * State of a provider that is to be captured.
   *
   * @param level of detail
   * @param keywords with which it is asked
   * @param isOnly whether the provider is enabled for this alone
   */
  public record State(Guid provider, int level, long keywords, boolean isOnly) {
    private String text() {
      return "%s %d %x %d".formatted(provider, level, keywords, isOnly ? 1 : 0);
    }

    /** Reads one; empty if somebody has changed it. */
    private static Optional<State> of(String text) {
      String[] words = text.split(" ", -1);
      try {
        return words.length != 4
            ? Optional.empty()
            : Optional.of(
                new State(
                    Guid.parse(words[0]),
                    Integer.parseInt(words[1]),
                    Long.parseUnsignedLong(words[2], 16),
                    words[3].equals("1")));
      } catch (IllegalArgumentException e) {
        return Optional.empty();
      }
    }
  }

  private static final String KEY = "HKEY_LOCAL_MACHINE\\SOFTWARE\\ntrail\\Sessions\\";
  private static final String PROGRAM = "Program";
  private static final String STATE = "State";

  /** States that are kept. */
  private static final int MOST = 1024;

  /** Keeps the list from changes. */
  public SessionMemo {
    states = List.copyOf(states);
  }

  /** Returns that of providers. */
  public static SessionMemo of(List<ProviderRequest> providers) {
    List<State> states = new ArrayList<>();
    for (ProviderRequest one : providers) {
      OptionalLong keywords = one.capture().atStop();
      if (keywords.isPresent()) {
        states.add(
            new State(one.guid(), one.level(), keywords.getAsLong(), one.capture().isOnly()));
      }
    }
    return new SessionMemo("", states);
  }

  /** Returns whether nothing is left to be done. */
  public boolean isEmpty() {
    return program.isEmpty() && states.isEmpty();
  }

  /** Keeps it for a session, in place of what was kept before. */
  public void write(MachineRegistry registry, String session) {
    registry.deleteKey(KEY + session);
    if (isEmpty()) {
      return;
    }
    registry.key(KEY + session);
    if (!program.isEmpty()) {
      registry.string(PROGRAM, program);
    }
    for (int i = 0; i < states.size(); i++) {
      registry.string(STATE + i, states.get(i).text());
    }
  }

  /** Returns what is kept for a session. */
  public static SessionMemo read(MachineRegistry registry, String session) {
    List<State> states = new ArrayList<>();
    for (int i = 0; i < MOST; i++) {
      Optional<String> text = registry.text(KEY + session, STATE + i);
      if (text.isEmpty()) {
        break;
      }
      State.of(text.get()).ifPresent(states::add);
    }
    return new SessionMemo(registry.text(KEY + session, PROGRAM).orElse(""), states);
  }

  /** Forgets what is kept for a session. */
  public static void forget(MachineRegistry registry, String session) {
    registry.deleteKey(KEY + session);
  }
}
