package io.ntrail.analysis.probe.types;

import java.util.List;
import java.util.Optional;

/** Struct or union; equal only to itself. */
public final class StructType implements Type {
  private final String name;
  private List<Member> members = List.of();
  private int size;
  private int alignment = 1;
  private boolean isComplete;

  /**
   * Member.
   *
   * @param offset in bytes
   * @param bits width of a bit field; 0: none
   * @param shift lowest bit of a bit field in its number
   */
  public record Member(String name, Type type, int offset, int bits, int shift) {}

  /**
   * A struct whose members are not known yet.
   *
   * @param name with its keyword: {@code struct point}
   */
  public StructType(String name) {
    this.name = name;
  }

  /** Sets the members, once. */
  public void complete(List<Member> all, int bytes, int aligned) {
    members = List.copyOf(all);
    size = bytes;
    alignment = aligned;
    isComplete = true;
  }

  /** Returns whether its members are known. */
  public boolean isComplete() {
    return isComplete;
  }

  /** Returns the members in order. */
  public List<Member> members() {
    return members;
  }

  /** Returns the alignment in bytes. */
  public int alignment() {
    return alignment;
  }

  /** Returns a member by its name, those of members without a name among them. */
  public Optional<Member> member(String wanted) {
    for (Member member : members) {
      if (member.name.equals(wanted)) {
        return Optional.of(member);
      }
      if (member.name.isEmpty() && member.type instanceof StructType inner) {
        Optional<Member> found = inner.member(wanted);
        if (found.isPresent()) {
          Member its = found.get();
          return Optional.of(
              new Member(its.name, its.type, its.offset + member.offset, its.bits, its.shift));
        }
      }
    }
    return Optional.empty();
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public String text() {
    return name;
  }
}
