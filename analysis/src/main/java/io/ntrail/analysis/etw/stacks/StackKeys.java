package io.ntrail.analysis.etw.stacks;

import io.ntrail.analysis.naming.StackAddresses;
import io.ntrail.formats.collections.Columns;
import io.ntrail.formats.collections.IntColumn;
import io.ntrail.formats.collections.LongColumn;
import io.ntrail.formats.collections.Search;
import io.ntrail.formats.etl.RecordCursor;
import java.util.function.LongPredicate;

/**
 * Definitions of stack keys. The kernel logger gives a stack that it has seen before by a key and
 * records its frames only later; then it may use the key again. So a reference means the first
 * definition of its key after it. Safe for several threads while definitions are noted.
 */
final class StackKeys {
  /** A fifth of the memory for nodes of the tree, at 8 bytes each. */
  private static final int MOST_NODES =
      Math.clamp(Runtime.getRuntime().maxMemory() / 40, 1 << 20, Integer.MAX_VALUE / 4);

  /** And up to three eighths for definitions, at 24 bytes each. */
  private static final int MOST_DEFINITIONS =
      Math.clamp(Runtime.getRuntime().maxMemory() / 64, 1 << 20, Integer.MAX_VALUE / 4);

  /** Flag of a stack whose frames are all of the kernel. */
  static final int KERNEL = 1 << 31;

  /** Flag of a stack whose frames are all of user mode. */
  static final int USER = 1 << 30;

  /** The other bits: number of an address. */
  static final int NUMBER = USER - 1;

  private final StackTrie tree = new StackTrie();
  private final Columns definitions = new Columns(16, MOST_DEFINITIONS);
  private final LongColumn keys = definitions.longs();
  private final LongColumn times = definitions.longs();
  private final IntColumn nodes = definitions.ints();

  /** See {@link #innermost(int)}. */
  private int[] innermost = {};

  private long leftOut;

  StackKeys() {}

  /** Notes the definition that a record is. */
  synchronized void note(RecordCursor record, long time) {
    int pointer = record.pointerBytes();
    int length = record.payloadLength();
    if (length < pointer) {
      return;
    }
    if (tree.size() >= MOST_NODES || definitions.isFull()) {
      leftOut++;
      return;
    }
    int at = record.payloadOffset();
    int definition = definitions.add();
    keys.set(definition, record.bytes().pointer(at, pointer));
    times.set(definition, time);
    nodes.set(definition, tree.node(record.bytes(), at + pointer, length / pointer - 1, pointer));
  }

  /**
   * Puts the definitions in order.
   *
   * @param isKernel whether an address is one of the kernel
   */
  void settle(LongPredicate isKernel) {
    int[] places = tree.settle();
    int size = definitions.rows();
    for (int i = 0; i < size; i++) {
      nodes.set(i, places[nodes.get(i)]);
    }
    sort();
    innermost = new int[size];
    StackTrie.Halves halves = tree.halves(isKernel);
    for (int i = 0; i < size; i++) {
      if (nodes.get(i) != 0) {
        innermost[i] =
            tree.number(nodes.get(i))
                | (halves.isKernel(nodes.get(i)) ? KERNEL : 0)
                | (halves.isUser(nodes.get(i)) ? USER : 0);
      }
    }
  }

  /** By hash, so that those who look for many keys in that order find them one after the other. */
  private void sort() {
    definitions.sort((a, b) -> {
      int byHash = Integer.compare(hash(keys.get(a)), hash(keys.get(b)));
      int byKey = byHash != 0 ? byHash : Long.compare(keys.get(a), keys.get(b));
      return byKey != 0 ? byKey : Long.compare(times.get(a), times.get(b));
    });
  }

  /** Returns the hash that orders keys. */
  static int hash(long key) {
    return (int) (key * 0x9E37_79B9_7F4A_7C15L >>> 32);
  }

  /** The definition that a key meant at a time; -1 if nothing defines it. */
  int find(long key, long time) {
    // Hashes are spread evenly.
    long guess = ((long) hash(key) - Integer.MIN_VALUE) * definitions.rows() >>> 32;
    int low = (int) guess;
    for (int step = 1; low > 0 && !isBefore(low - 1, key, time); step *= 2) {
      low = Math.max(0, low - step);
    }
    int at = firstNotBefore(low, key, time);
    return defines(at, key) ? at : -1;
  }

  /** The first definition from {@code low} on whose key has a hash, or a later one. */
  int firstOfHash(int low, int hash) {
    return Search.firstNear(low, definitions.rows(), i -> hash(keys.get(i)) >= hash);
  }

  /** Returns true if a definition is of a key. */
  boolean defines(int definition, long key) {
    return definition < definitions.rows() && keys.get(definition) == key;
  }

  /**
   * The first definition from {@code low} on that does not come before those of a key after a time.
   */
  int firstNotBefore(int low, long key, long time) {
    return Search.firstNear(low, definitions.rows(), i -> !isBefore(i, key, time));
  }

  private boolean isBefore(int definition, long key, long time) {
    long other = keys.get(definition);
    if (other == key) {
      return times.get(definition) < time;
    }
    int byHash = Integer.compare(hash(other), hash(key));
    return byHash != 0 ? byHash < 0 : other < key;
  }

  /**
   * The number of the address of a definition's innermost frame, with {@link #KERNEL} or {@link
   * #USER} if all frames are; neither if there is none.
   */
  int innermost(int definition) {
    return innermost[definition];
  }

  /** The address that a number stands for. */
  long address(int number) {
    return tree.address(number);
  }

  /** Returns the node of a definition's stack in the tree. */
  int place(int definition) {
    return nodes.get(definition);
  }

  /** Appends the frames of a definition's stack, innermost first. */
  void copy(int definition, StackAddresses into) {
    tree.copy(nodes.get(definition), into);
  }

  /** Number of definitions. */
  int count() {
    return definitions.rows();
  }

  /** Definitions that were skipped at the memory limit. */
  long leftOut() {
    return leftOut;
  }
}
