package io.ntrail.formats.pe.handlers;

import java.util.List;
import java.util.Optional;

/**
 * Exception handling data of a C++ function, in one of two forms: plain structures ({@link
 * FuncInfo3}) or packed ones ({@link FuncInfo4}).
 *
 * <p>A function is in a <em>state</em> at every place, a number that determines which objects are
 * to be destroyed; -1 is none. A {@code try} block is a range of states.
 */
public sealed interface CxxFunction permits FuncInfo3, FuncInfo4 {
  /** More entries than any function has in one of its tables. */
  int MOST = 1 << 18;

  /** Ways to leave a state. */
  enum Action {
    /** No action. */
    NONE,
    /** A destructor is called for an object in the frame. */
    DESTROY_OBJECT,
    /** A destructor is called for an object that a pointer in the frame points to. */
    DESTROY_POINTED,
    /** A piece of the function is called. */
    CALL
  }

  /**
   * An entry of the unwind map: the action when a state is left.
   *
   * @param toState the state that follows
   * @param handler RVA of the destructor or funclet, or 0
   * @param object offset of the object or pointer in the frame
   */
  record Step(int toState, Action action, long handler, long object) {}

  /**
   * A {@code catch}.
   *
   * @param adjectives 1 const, 2 volatile, 8 reference, 40h anything ({@code ...}), others as the
   *     compiler leaves them
   * @param type RVA of the type descriptor, or 0
   * @param typeName its decorated name ({@code .?AVexception@std@@}), or nothing
   * @param object offset in the frame of the copy of the exception, or 0
   * @param handler RVA of the funclet
   * @param frameOffset of {@link FuncInfo3} for 64 bits: offset at which the funclet finds the
   *     frame of its function; else 0
   * @param continuations of {@link FuncInfo4}: RVAs where the function can continue
   */
  record Catch(
      int adjectives,
      long type,
      String typeName,
      long object,
      long handler,
      long frameOffset,
      List<Long> continuations) {
    /** Returns true if it catches everything, whatever the type. */
    public boolean takesAll() {
      return type == 0;
    }
  }

  /**
   * A {@code try} block.
   *
   * @param low its lowest state
   * @param high its highest
   * @param catchHigh the highest state of its {@code catch} blocks
   */
  record Try(int low, int high, int catchHigh, List<Catch> catches) {}

  /**
   * From an address on the function is in a state.
   *
   * @param ip RVA
   */
  record IpState(long ip, int state) {}

  /** Returns its RVA. */
  long rva();

  /** Returns the unwind map: the action for leaving each state, by its number. */
  List<Step> steps();

  /** The {@code try} blocks, inner ones first. */
  List<Try> tries();

  /** Returns true if an exception that leaves the function ends the program. */
  boolean isNoexcept();

  /** Returns the reason why not all of it could be read. */
  Optional<String> damage();

  /** The state at an address, -1 before the first. */
  int stateAt(long address);

  /** The state of the last row before an address. */
  static int state(List<IpState> map, long address) {
    int state = -1;
    for (IpState row : map) {
      if (row.ip > address) {
        break;
      }
      state = row.state;
    }
    return state;
  }
}
