//! Indices with types: a step is never looked up among the inputs, nor a column among the figures.

/// Declares the types of indices, each with what it counts.
macro_rules! indices {
    ($($(#[doc = $doc:literal])* $name:ident;)*) => {$(
        $(#[doc = $doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(usize);

        impl $name {
            /// The index of the element at a position, from 0.
            pub const fn new(position: usize) -> Self {
                Self(position)
            }

            /// The position, from 0.
            pub const fn position(self) -> usize {
                self.0
            }

            /// The element of the list that it was made for.
            pub fn of<T>(self, list: &[T]) -> Option<&T> {
                list.get(self.0)
            }

            /// The first element that is looked for.
            pub fn find<T>(list: &[T], is_it: impl FnMut(&T) -> bool) -> Option<Self> {
                list.iter().position(is_it).map(Self)
            }

            /// The elements of a list, each with its index.
            pub fn enumerate<T>(list: &[T]) -> impl Iterator<Item = (Self, &T)> {
                list.iter().enumerate().map(|(position, element)| (Self(position), element))
            }
        }
    )*};
}

indices! {
    /// An input of a method, among its [`inputs`](crate::law::Method::inputs).
    InputId;
    /// A step of a method, among its [`steps`](crate::law::Method::steps).
    StepId;
    /// A figure of a method, among its [`figures`](crate::law::Method::figures) or among those of a scale.
    FigureId;
    /// A column of a figure, among the [`columns`](crate::law::Shape::columns) of its shape or the cells of a row.
    ColumnId;
    /// A value of a calculation that runs: of an input, or of a step.
    SlotId;
}

impl InputId {
    /// The slot of its value: those of the inputs come first.
    pub(crate) const fn slot(self) -> SlotId {
        SlotId(self.0)
    }
}

impl SlotId {
    /// The slot that comes so many after it.
    pub(crate) const fn after(self, count: usize) -> Self {
        Self(self.0.saturating_add(count))
    }
}
