package io.ntrail.analysis.profile;

import io.ntrail.analysis.naming.StackAddresses;

/** Parts of stacks that a recording holds once and refers to by number, such as stack keys. */
public interface StackParts {
  /** Source whose stacks have no numbered parts. */
  StackParts NONE =
      new StackParts() {
        @Override
        public int count() {
          return 0;
        }

        @Override
        public void copy(int part, StackAddresses into) {
          throw new IndexOutOfBoundsException(part);
        }

        @Override
        public int place(int part) {
          throw new IndexOutOfBoundsException(part);
        }
      };

  /** Returns how many parts there are; they are numbered from 0. */
  int count();

  /** Adds the addresses of a part to a stack. */
  void copy(int part, StackAddresses into);

  /** Returns where a part is kept: parts with frames in common are near each other. */
  int place(int part);
}
