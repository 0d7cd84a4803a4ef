package io.ntrail.formats.pe.unwind;

import io.ntrail.formats.pe.ImageView;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Unwind information of a range of code, with the information that it is chained to: code that was
 * moved out of a function continues the information of its origin.
 *
 * <p>Two things lead on: unwind information with a {@link UnwindInfo#chained chained} entry, and an
 * {@link RuntimeFunction#indirect() indirect} entry, in the table or in a chain, which refers to
 * another one. At most {@value RuntimeFunction#LIMIT} steps of each kind are followed, as many as
 * the system follows.
 *
 * @param links at least one; the last is that of the function itself
 * @param damage why not all of it could be read: the reason of the first link that has one, or that
 *     it is too long
 */
public record UnwindChain(List<Link> links, Optional<String> damage) {
  /**
   * One link.
   *
   * @param function the entry, after following indirections
   * @param info its unwind information
   */
  public record Link(RuntimeFunction function, UnwindInfo info) {}

  /**
   * An entry that is not indirect any more, or the last one that could be read.
   *
   * @param damage why it still is
   */
  record Direct(RuntimeFunction entry, Optional<String> damage) {}

  /** Reads the chain of an entry; never fails. */
  public static UnwindChain of(ImageView view, RuntimeFunction entry) {
    List<Link> links = new ArrayList<>();
    Direct at = direct(view, entry);
    while (true) {
      UnwindInfo info =
          at.damage.isEmpty()
              ? UnwindInfo.read(view, at.entry.unwindInfo())
              : UnwindInfoReader.refused(at.entry.unwindInfo(), at.damage.get());
      links.add(new Link(at.entry, info));
      if (info.chained().isEmpty()) {
        return new UnwindChain(List.copyOf(links), ofLinks(links));
      }
      if (links.size() > RuntimeFunction.LIMIT) {
        String tooLong = "it has more than " + links.size() + " links";
        return new UnwindChain(List.copyOf(links), ofLinks(links).or(() -> Optional.of(tooLong)));
      }
      at = direct(view, info.chained().get());
    }
  }

  private static Optional<String> ofLinks(List<Link> links) {
    for (Link link : links) {
      if (link.info().damage().isPresent()) {
        return link.info().damage();
      }
    }
    return Optional.empty();
  }

  /** Returns why the chain as a whole is damaged although each of its links could be read. */
  public Optional<String> excess() {
    return ofLinks(links).isPresent() ? Optional.empty() : damage;
  }

  /** Follows indirect entries. */
  static Direct direct(ImageView view, RuntimeFunction entry) {
    RuntimeFunction at = entry;
    for (int steps = 0; at.indirect(); steps++) {
      if (steps == RuntimeFunction.LIMIT) {
        return new Direct(at, Optional.of("more than " + steps + " indirect entries in a row"));
      }
      if (!view.has(at.unwindInfo(), RuntimeFunction.SIZE)) {
        return new Direct(
            at,
            Optional.of(
                "its indirect entry should be at RVA 0x"
                    + Long.toHexString(at.unwindInfo())
                    + ", where the image has nothing"));
      }
      at = RuntimeFunction.read(view, at.unwindInfo());
    }
    return new Direct(at, Optional.empty());
  }

  /** The unwind information of the entry itself. */
  public UnwindInfo info() {
    return links.getFirst().info();
  }

  /**
   * Returns the entry of the function that all of it belongs to: the end of the chain. After a
   * chain it is the copy there, not the one in the table: compare their starts.
   */
  public RuntimeFunction primary() {
    return links.getLast().function();
  }

  /** The unwind information at the end of the chain: the one that can name a handler. */
  public UnwindInfo last() {
    return links.getLast().info();
  }

  /** Returns the number of further links: 0 where nothing is chained. */
  public int depth() {
    return links.size() - 1;
  }
}
