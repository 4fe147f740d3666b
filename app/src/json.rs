//! Reads JSON that the server wrote, with little code: the browser downloads the code that reads each of some hundred
//! types.
//!
//! `serde_json` makes each of them ready for text and for bytes, for objects and for lists in their place, and for an
//! explanation of whatever is wrong. Here the text becomes a tree first; what is read from that is in objects alone, and
//! either it can be read or it cannot.

use std::fmt::{self, Display, Formatter};

use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, SeqAccess, VariantAccess, Visitor,
};
use serde::{Deserialize, forward_to_deserialize_any};

/// What a text says; `None` where it says nothing of the kind.
#[must_use]
pub fn read<T: DeserializeOwned>(text: &str) -> Option<T> {
    let tree = tree(text)?;
    T::deserialize(Node(&tree)).ok()
}

/// A text as a tree. Apart, so that it is compiled once.
#[inline(never)]
fn tree(text: &str) -> Option<Tree> {
    serde_json::from_str(text).ok()
}

enum Tree {
    Null,
    Bool(bool),
    Whole(u64),
    Minus(i64),
    Broken(f64),
    Text(String),
    List(Vec<Tree>),
    /// Names are [`Tree::Text`].
    Object(Vec<(Tree, Tree)>),
}

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Grow)
    }
}

struct Grow;

impl<'de> Visitor<'de> for Grow {
    type Value = Tree;

    fn expecting(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<Tree, E> {
        Ok(Tree::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Tree, E> {
        Ok(Tree::Bool(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Tree, E> {
        Ok(Tree::Whole(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Tree, E> {
        Ok(Tree::Minus(value))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Tree, E> {
        Ok(Tree::Broken(value))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Tree, E> {
        Ok(Tree::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Tree, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Tree::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Tree, A::Error> {
        let mut object = Vec::new();
        while let Some((name, inside)) = entries.next_entry()? {
            object.push((Tree::Text(name), inside));
        }
        Ok(Tree::Object(object))
    }
}

/// It cannot be read; nobody would look at why.
#[derive(Debug)]
struct Unreadable;

impl Display for Unreadable {
    fn fmt(&self, _: &mut Formatter<'_>) -> fmt::Result {
        Ok(())
    }
}

impl std::error::Error for Unreadable {}

impl Error for Unreadable {
    fn custom<T: Display>(_: T) -> Self {
        Self
    }
}

/// A part of a tree.
#[derive(Clone, Copy)]
struct Node<'a>(&'a Tree);

impl<'a> Node<'a> {
    fn text(self) -> Result<&'a str, Unreadable> {
        if let Tree::Text(text) = self.0 { Ok(text) } else { Err(Unreadable) }
    }

    fn whole(self) -> Result<u64, Unreadable> {
        match self.0 {
            Tree::Whole(number) => Ok(*number),
            // The name of an entry, where that is a number.
            Tree::Text(text) => text.parse().map_err(|_| Unreadable),
            _ => Err(Unreadable),
        }
    }

    fn signed(self) -> Result<i64, Unreadable> {
        match self.0 {
            Tree::Minus(number) => Ok(*number),
            Tree::Text(text) => text.parse().map_err(|_| Unreadable),
            _ => self.whole()?.try_into().map_err(|_| Unreadable),
        }
    }

    fn broken(self) -> Result<f64, Unreadable> {
        #[expect(clippy::cast_precision_loss, reason = "what is read as a fraction need not be exact")]
        match self.0 {
            Tree::Broken(number) => Ok(*number),
            Tree::Whole(number) => Ok(*number as f64),
            Tree::Minus(number) => Ok(*number as f64),
            _ => Err(Unreadable),
        }
    }
}

macro_rules! numbers {
    ($($name:ident: $read:ident, $visit:ident;)*) => { $(
        fn $name<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unreadable> {
            visitor.$visit(self.$read()?)
        }
    )* };
}

impl<'de> Deserializer<'de> for Node<'_> {
    type Error = Unreadable;

    numbers! {
        deserialize_u8: whole, visit_u64;
        deserialize_u16: whole, visit_u64;
        deserialize_u32: whole, visit_u64;
        deserialize_u64: whole, visit_u64;
        deserialize_i8: signed, visit_i64;
        deserialize_i16: signed, visit_i64;
        deserialize_i32: signed, visit_i64;
        deserialize_i64: signed, visit_i64;
        deserialize_f32: broken, visit_f64;
        deserialize_f64: broken, visit_f64;
        deserialize_str: text, visit_str;
        deserialize_string: text, visit_str;
        deserialize_char: text, visit_str;
        deserialize_identifier: text, visit_str;
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unreadable> {
        match self.0 {
            Tree::Null => visitor.visit_unit(),
            Tree::Bool(value) => visitor.visit_bool(*value),
            Tree::Whole(number) => visitor.visit_u64(*number),
            Tree::Minus(number) => visitor.visit_i64(*number),
            Tree::Broken(number) => visitor.visit_f64(*number),
            Tree::Text(text) => visitor.visit_str(text),
            Tree::List(list) => visitor.visit_seq(Items(list)),
            Tree::Object(object) => visitor.visit_map(Entries(object)),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unreadable> {
        if let Tree::Bool(value) = self.0 { visitor.visit_bool(*value) } else { Err(Unreadable) }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unreadable> {
        if let Tree::Null = self.0 { visitor.visit_unit() } else { Err(Unreadable) }
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(self, _name: &'static str, visitor: V) -> Result<V::Value, Unreadable> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unreadable> {
        visitor.visit_unit()
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unreadable> {
        if let Tree::Null = self.0 { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Unreadable> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unreadable> {
        if let Tree::List(list) = self.0 { visitor.visit_seq(Items(list)) } else { Err(Unreadable) }
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _length: usize, visitor: V) -> Result<V::Value, Unreadable> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _length: usize,
        visitor: V,
    ) -> Result<V::Value, Unreadable> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unreadable> {
        if let Tree::Object(object) = self.0 { visitor.visit_map(Entries(object)) } else { Err(Unreadable) }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Unreadable> {
        self.deserialize_map(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Unreadable> {
        match self.0 {
            Tree::Text(_) => visitor.visit_enum(Choice(self.0, &Tree::Null)),
            Tree::Object(object) => match object.as_slice() {
                [(name, inside)] => visitor.visit_enum(Choice(name, inside)),
                _ => Err(Unreadable),
            },
            _ => Err(Unreadable),
        }
    }

    forward_to_deserialize_any! { bytes byte_buf }
}

struct Items<'a>(&'a [Tree]);

impl<'de> SeqAccess<'de> for Items<'_> {
    type Error = Unreadable;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Unreadable> {
        let Some((first, rest)) = self.0.split_first() else { return Ok(None) };
        self.0 = rest;
        seed.deserialize(Node(first)).map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.0.len())
    }
}

struct Entries<'a>(&'a [(Tree, Tree)]);

impl<'de> MapAccess<'de> for Entries<'_> {
    type Error = Unreadable;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Unreadable> {
        let Some((name, _)) = self.0.first() else { return Ok(None) };
        seed.deserialize(Node(name)).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Unreadable> {
        let Some(((_, value), rest)) = self.0.split_first() else { return Err(Unreadable) };
        self.0 = rest;
        seed.deserialize(Node(value))
    }
}

/// The name of a variant, and what is in it.
struct Choice<'a>(&'a Tree, &'a Tree);

impl<'de, 'a> EnumAccess<'de> for Choice<'a> {
    type Error = Unreadable;
    type Variant = Node<'a>;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Node<'a>), Unreadable> {
        Ok((seed.deserialize(Node(self.0))?, Node(self.1)))
    }
}

impl<'de> VariantAccess<'de> for Node<'_> {
    type Error = Unreadable;

    fn unit_variant(self) -> Result<(), Unreadable> {
        if let Tree::Null = self.0 { Ok(()) } else { Err(Unreadable) }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Unreadable> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _length: usize, visitor: V) -> Result<V::Value, Unreadable> {
        self.deserialize_seq(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Unreadable> {
        self.deserialize_map(visitor)
    }
}

#[cfg(test)]
mod tests;
