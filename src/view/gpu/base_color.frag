// The base colour of a fragment, and which fragments a material leaves out. Put before the shaders
// that draw a character; skin_material.rs sets its uniforms.

uniform vec4 baseColor;
uniform sampler2D baseTexture;
// Fragments with less alpha than x or as much as y are left out.
uniform vec2 alphaRange;
// 1 where alpha is ignored.
uniform float isOpaque;
uniform float hasVertexColors;

in vec2 uvs;
in vec4 col;

// Polynomials in place of powers: within a step or two of 8 bits, and much cheaper without a GPU.
vec3 toLinear(vec3 c)
{
    return c * (c * (c * 0.305306011 + 0.682171111) + 0.012522878);
}

// Linear, with the alpha that counts. Leaves the fragment out if that is not within the range.
vec4 baseColorHere()
{
    vec4 base = baseColor * mix(vec4(1.0), col, hasVertexColors);
    vec4 texel = texture(baseTexture, uvs);
    base *= vec4(toLinear(texel.rgb), texel.a);
    base.a = mix(base.a, 1.0, isOpaque);
    if (base.a < alphaRange.x || base.a >= alphaRange.y)
    {
        discard;
    }
    // What hides everything behind it is opaque in pictures, too.
    base.a = alphaRange.y > 1.0 ? 1.0 : base.a;
    return base;
}

// For shaders without colours.
void leaveOut()
{
    if (isOpaque < 0.5)
    {
        baseColorHere();
    }
}
